// A request and a response as plain values; nothing here knows how they travelled.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/params.h"
#include "json/value.h"

namespace postern::refusal {
enum class Reason : std::uint8_t;  // refusal/reason.h, for those who name one
}

namespace postern::http {

enum class Method { get, head, post, delete_, options, other };
std::string_view to_string(Method method);   ///< "GET" ...; "OTHER"
Method parse_method(std::string_view name);  ///< `other` for every other spelling

/// The kind of body behind the headers.
enum class BodyKind {
    none,   ///< no body
    form,   ///< application/x-www-form-urlencoded (no charset, or UTF-8): parsed into `form`
    json,   ///< application/json, for an endpoint that takes it: `content` has the bytes
    other,  ///< any other type: never parsed
};

struct Request {
    std::string id;  ///< names this request in the log, in X-Request-Id and on pages
    Method method = Method::get;
    std::string path = {};  ///< as it came: one of the paths of the endpoint
    Params query;
    BodyKind body = BodyKind::none;
    Params form;                               ///< empty unless body == form
    std::string content = {};                  ///< empty unless body == json
    std::optional<std::string> authorization;  ///< the header's value as it came
    /// The advice for the operator when a header that may hold credentials did not come: what the web server lacks.
    /// Never sent.
    std::string why_no_authorization = {};
    std::string cookie;  ///< the header's value as it came; read it with http/headers.h
    std::optional<std::string> origin;
    std::optional<std::string> sec_fetch_site;
    std::optional<std::string> if_none_match;
    std::string remote_address;  ///< of the client; through trusted proxies when configured
    /// The CGI variables that the endpoint asks for. The web server's own modules set the ones that the configuration
    /// names, and none of them is a header; the login page also asks for the header User-Agent, and endpoints that take
    /// proofs for DPoP.
    std::map<std::string, std::string, std::less<>> server_variables = {};
    bool is_question = false;  ///< of a web server's authorizer: may this request pass?

    /// Returns one of `server_variables`; "" when it did not come.
    std::string_view variable(std::string_view name) const;
};

/// The reason of a refusal, for the log and for `postern why`. Never holds a secret, token, code, password or cookie.
struct Refusal {
    refusal::Reason reason;
    std::string description;  ///< what the caller was told
    std::string detail;       ///< for the operator: expected, received, and what to change
    std::string client_id;    ///< as sent, when known
};

struct Response {
    int status = 200;
    /// The headers, names as written; the writer adds the ones every answer has.
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;
    std::optional<Refusal> refusal;        ///< recorded by the server under the request's id
    std::optional<std::string> client_id;  ///< of the authenticated or token's client, whose pages may read the answer
    std::optional<std::string> reader;     ///< an origin whose pages may read it, whatever clients there are
    bool is_routine = false;               ///< of a kind that comes with every page of a site: logged at debug alone
    bool is_bare = false;                  ///< its headers are not for a browser: none is added to them

    /// Replaces a header of that name (compared without case) or adds it.
    void set(std::string_view name, std::string value);
    /// Adds a header even when one of that name is there (Set-Cookie).
    void add(std::string name, std::string value);
    const std::string* find(std::string_view name) const;
};

/// Makes `303 See Other`: the browser fetches `absolute_url` with GET whatever it sent before (RFC 9700 §4.12).
Response see_other(std::string absolute_url);
/// Makes an answer with a JSON body.
Response json(const json::Value& body, int status = 200);
/// The pictures of a page that are not drawn in its markup.
enum class Pictures {
    none,
    data,  ///< with their bytes in `data:` addresses
};
/// Makes an HTML page; `style_hash` is the CSP hash (`sha256-...`) of its one inline style sheet, `script_hashes` those
/// of its inline scripts, with blanks between them, "" for pages that run none. `frame_sources`: the origins that it
/// may load in frames, of letters, digits, hyphens, dots and colons (oauth::frame_source).
Response html(std::string page, int status, const std::string& style_hash, const std::string& script_hashes = {},
              Pictures pictures = Pictures::none, const std::vector<std::string>& frame_sources = {});

}  // namespace postern::http
