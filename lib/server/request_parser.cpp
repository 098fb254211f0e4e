// Which CGI variables and bodies are a request that an endpoint can be asked.
#include "server/request_parser.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>

#include "http/headers.h"
#include "http/url.h"
#include "server/web_server_advice.h"
#include "util/text.h"

namespace postern::server {
namespace {

constexpr std::size_t kLongestHeader = 16384;
/// Beside the cookies of the application stands that of the site.
constexpr std::size_t kLongestHeaderOfQuestion = 32768;
constexpr std::size_t kLongestShownPath = 200;

/// The request target (RFC 9112 §3.2.1) as raw bytes.
struct Target {
    std::string path;
    std::string_view query;
};

/// The arguments of the checks.
struct Asked {
    const gateway::Variables& variables;
    const gateway::Body& body;
    const RequestRules& rules;
    const Target& target;
    http::Method method;
};

using Check = std::optional<Failure> (*)(const Asked&);

std::string join(const std::vector<std::string>& words) {
    std::string list;
    for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
    return list;
}

std::optional<Failure> check_duplicate_variable(const Asked& asked) {
    const std::string name(asked.variables.duplicate);
    if (name.empty()) return std::nullopt;
    return refused_request(
        400, "The request has a header twice.",
        "the web server passed " + name + " twice: the client sent it twice, or the configuration sets it twice");
}

std::optional<Failure> check_path(const Asked& asked) {
    if (std::ranges::find(asked.rules.paths, asked.target.path) != asked.rules.paths.end()) return std::nullopt;
    const bool shown = util::is_vschar(asked.target.path);
    const std::string came = shown ? asked.target.path.substr(0, kLongestShownPath) : "(not printable)";
    const std::string expected =
        asked.rules.paths.empty() ? "none: the endpoint is switched off" : join(asked.rules.paths);
    return refused_request(404, "There is no such endpoint here.",
                           "paths of this endpoint: " + expected + "; the request's path: " + came);
}

std::optional<Failure> check_method(const Asked& asked) {
    const auto& methods = asked.rules.methods;
    if (std::ranges::find(methods, asked.method) != methods.end()) return std::nullopt;
    Failure failure =
        refused_request(405, "This endpoint does not support that method.",
                        "expected " + allowed_methods(asked.rules) + ", got " + std::string(to_string(asked.method)));
    failure.reason =
        asked.method == http::Method::post ? asked.rules.wrong_post : refusal::Reason::invalid_request_method;
    failure.headers.emplace_back("Allow", allowed_methods(asked.rules));
    return failure;
}

std::optional<Failure> check_sizes(const Asked& asked) {
    if (asked.target.query.size() > asked.rules.limits.body) {
        return refused_request(414, "The query is too long.", "longer than limits.body");
    }
    for (const auto& [name, value] : asked.variables.values) {
        const auto& credentials = asked.rules.authorization_variables;
        const bool is_header = name.starts_with("HTTP_") || name == "CONTENT_TYPE" ||
                               std::ranges::find(credentials, name) != credentials.end();
        const std::size_t longest = asked.rules.takes_questions ? kLongestHeaderOfQuestion : kLongestHeader;
        if (is_header && value.size() > longest)
            return refused_request(431, "A header is too long.",
                                   std::string(name) + " is longer than " + std::to_string(longest) + " bytes");
    }
    return std::nullopt;
}

std::optional<Failure> check_body(const Asked& asked) {
    switch (asked.body.state) {
        case gateway::BodyState::bad_length:
            return refused_request(400, "Content-Length is not a number.", "CONTENT_LENGTH is malformed");
        case gateway::BodyState::too_large:
            return refused_request(413, "The body is too large.", "longer than limits.body");
        case gateway::BodyState::no_length:
            return refused_request(411, "The body has no Content-Length.",
                                   std::string(explain_missing_length(asked.variables.clues.software, asked.body.end)));
        case gateway::BodyState::incomplete:
            return refused_request(400, "The length of the body differs from its Content-Length.",
                                   "the client stopped or the connection broke");
        case gateway::BodyState::whole:
            break;
    }
    return std::nullopt;
}

constexpr Check kChecks[] = {check_duplicate_variable, check_path, check_method, check_sizes, check_body};
constexpr Check kChecksOfQuestions[] = {check_duplicate_variable, check_sizes};

util::Result<http::Params, Failure> parse_parameters(std::string_view text, std::size_t most) {
    auto params = http::Params::parse(text, most);
    if (params) return std::move(*params);
    const bool many = params.error() == http::ParamsError::too_many;
    return refused_request(
        400, many ? "There are too many parameters." : "The name of a parameter is malformed.",
        many ? "more than limits.parameters" : "bad percent-encoding, control characters or invalid UTF-8 in a name");
}

/// Only POST has a body that means something (RFC 9110 §9.3.1); others' are read and ignored.
util::Result<http::Request, Failure> with_body(http::Request request, const Asked& asked) {
    const std::string_view header = asked.variables.get("CONTENT_TYPE");
    if (asked.method != http::Method::post || (asked.body.bytes.empty() && header.empty())) return request;
    const http::FormType type = http::form_type(header, asked.body.bytes);
    if (type == http::FormType::other_charset) {
        return refused_request(400, "The body's charset must be UTF-8.",
                               "expected application/x-www-form-urlencoded; charset=utf-8 and us-ascii are accepted, "
                               "iso-8859-1 and windows-1252 for a body of ASCII characters");
    }
    request.body = type == http::FormType::form ? http::BodyKind::form : http::BodyKind::other;
    if (asked.rules.takes_json && http::is_json_type(header)) {
        request.body = http::BodyKind::json;
        request.content = asked.body.bytes;
    }
    if (type == http::FormType::other) return request;
    ASSIGN_OR_RETURN(auto form, parse_parameters(asked.body.bytes, asked.rules.limits.parameters));
    request.form = std::move(form);
    return request;
}

std::optional<std::string> if_given(const gateway::Variables& variables, std::string_view name) {
    const std::string_view value = variables.get(name);
    return value.empty() ? std::nullopt : std::optional<std::string>(value);
}

/// A client may send the whole URL (RFC 9112 §3.2.2), and Apache passes it on as it came. Whatever host it names, the
/// path alone decides: the web server chose the site.
std::string_view in_origin_form(std::string_view target) {
    for (const std::string_view scheme : {"https://", "http://"}) {
        if (!util::equal_ignoring_case(target.substr(0, scheme.size()), scheme)) continue;
        const std::size_t path = target.find_first_of("/?", scheme.size());
        return path == target.npos ? std::string_view() : target.substr(path);
    }
    return target;
}

/// From REQUEST_URI, because web servers decode and normalise PATH_INFO; without it from SCRIPT_NAME and PATH_INFO. The
/// query is taken from there too, because some web servers repair percent-encoding in QUERY_STRING, which would make a
/// malformed parameter well-formed.
Target target_of(const gateway::Variables& variables) {
    if (!variables.has("REQUEST_URI"))
        return {std::string(variables.get("SCRIPT_NAME")).append(variables.get("PATH_INFO")),
                variables.get("QUERY_STRING")};
    const std::string_view target = in_origin_form(variables.get("REQUEST_URI"));
    const std::size_t mark = target.find('?');
    const std::string_view query = mark == target.npos ? variables.get("QUERY_STRING") : target.substr(mark + 1);
    return {std::string(target.substr(0, mark)), query};
}

/// Several headers reach us joined by commas, which neither Basic nor Bearer credentials contain (RFC 9110 §5.3).
bool is_one_credential(std::string_view value) {
    return value.find(',') == value.npos && !util::has_control_bytes(value);
}

}  // namespace

util::Result<std::optional<std::string>, Failure> find_authorization(const gateway::Variables& variables,
                                                                     const std::vector<std::string>& names) {
    std::optional<std::string> found;
    std::string_view where;
    for (const std::string& name : names) {
        const std::string_view value = util::trim(variables.get(name));  // RFC 9110 §5.5: not part of the value
        if (value.empty()) continue;
        if (!is_one_credential(value)) {
            return refused_request(400, "The Authorization header is malformed or given twice.",
                                   "expected one Basic or Bearer credential without commas or control characters");
        }
        // The server cannot know which of the two the web server verified, and one may belong to another client.
        if (found && *found != value) {
            return refused_request(400, "The Authorization header is given twice.",
                                   std::string(where).append(" and ").append(name) +
                                       ", both of authorizationVariables, hold different credentials");
        }
        found = std::string(value);
        where = name;
    }
    return found;
}

std::string allowed_methods(const RequestRules& rules) {
    std::vector<std::string> names;
    for (const http::Method method : rules.methods) names.emplace_back(to_string(method));
    return join(names);
}

util::Result<http::Request, Failure> parse_question(const gateway::Variables& variables, const gateway::Body& body,
                                                    const RequestRules& rules) {
    const Target target{};  // whatever it is, the handler reads it
    const Asked asked{variables, body, rules, target, http::parse_method(variables.get("REQUEST_METHOD"))};
    for (const Check check : kChecksOfQuestions) {
        if (auto failure = check(asked)) return std::move(*failure);
    }
    http::Request request;
    request.method = asked.method;
    request.is_question = variables.is_question;
    request.cookie = std::string(variables.get("HTTP_COOKIE"));
    request.sec_fetch_site = if_given(variables, "HTTP_SEC_FETCH_SITE");
    // Most values belong to the application, so that nothing is wrong with one that is no credential here.
    for (const std::string& name : rules.authorization_variables)
        if (!request.authorization) request.authorization = if_given(variables, name);
    for (const std::string& name : rules.server_variables)
        if (variables.has(name)) request.server_variables.emplace(name, variables.get(name));
    if (asked.method != http::Method::post || body.state != gateway::BodyState::whole) return request;
    const bool is_form = http::form_type(variables.get("CONTENT_TYPE"), body.bytes) == http::FormType::form;
    auto form = is_form ? http::Params::parse(body.bytes, rules.limits.parameters) : http::Params();
    if (form) request.form = std::move(*form);
    return request;
}

util::Result<http::Request, Failure> parse_request(const gateway::Variables& variables, const gateway::Body& body,
                                                   const RequestRules& rules) {
    const Target target = target_of(variables);
    const Asked asked{variables, body, rules, target, http::parse_method(variables.get("REQUEST_METHOD"))};
    for (const Check check : kChecks) {
        if (auto failure = check(asked)) return std::move(*failure);
    }
    ASSIGN_OR_RETURN(auto authorization, find_authorization(variables, rules.authorization_variables));
    ASSIGN_OR_RETURN(auto query, parse_parameters(asked.target.query, rules.limits.parameters));

    http::Request request;
    request.method = asked.method;
    request.path = target.path;
    request.query = std::move(query);
    request.authorization = std::move(authorization);
    if (!request.authorization && !rules.authorization_variables.empty())
        request.why_no_authorization = explain_missing_authorization(variables, rules.authorization_variables);
    request.cookie = std::string(variables.get("HTTP_COOKIE"));
    request.origin = if_given(variables, "HTTP_ORIGIN");
    request.sec_fetch_site = if_given(variables, "HTTP_SEC_FETCH_SITE");
    request.if_none_match = if_given(variables, "HTTP_IF_NONE_MATCH");
    for (const std::string& name : rules.server_variables)
        if (variables.has(name)) request.server_variables.emplace(name, variables.get(name));
    return with_body(std::move(request), asked);
}

}  // namespace postern::server
