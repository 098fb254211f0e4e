// Decides which other sites' pages may read what an endpoint answers.
#include "oauth/cors.h"

#include <algorithm>

#include "http/url.h"
#include "oauth/client_bar.h"
#include "oauth/client_id_url.h"
#include "store/clients.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

/// The time for which a browser may remember that it may ask. Each answer is decided by itself, so a client that was
/// removed meanwhile is told nothing.
constexpr const char* kPreflightSeconds = "600";

/// More headers than this no page has, and the answer repeats them.
constexpr std::size_t kLongestRequestedHeaders = 4096;

/// A longer origin is not a host name (RFC 1035 §2.3.4) with a scheme and a port.
constexpr std::size_t kLongestOrigin = 300;

/// For pages without a site of their own ("null", a browser's extension): the documents are public all the same.
constexpr const char* kAnyOrigin = "*";

bool is_default_port(const http::UrlParts& url) {
    return url.port.empty() || url.port == (url.scheme == "https" ? "443" : "80");
}

void vary_with_origin(http::Response& response) {
    const std::string* vary = response.find("Vary");
    response.set("Vary", vary == nullptr ? "Origin" : *vary + ", Origin");
}

/// RFC 9110 §5.6.2.
bool is_token(std::string_view text) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::ranges::all_of(text, [&](char c) {
        return util::is_letter(c) || util::is_digit(c) || kMarks.find(c) != kMarks.npos;
    });
}

/// Every header that the page asks for, by name: `*` would not allow Authorization, nor anything with credentials.
std::string allowed_headers(std::string_view requested) {
    std::string list = "Authorization, Content-Type";
    if (requested.size() > kLongestRequestedHeaders) return list;
    for (const std::string_view piece : util::split(requested, ',')) {
        const std::string_view name = util::trim(piece);
        const bool is_listed =
            util::equal_ignoring_case(name, "authorization") || util::equal_ignoring_case(name, "content-type");
        if (is_token(name) && !is_listed) list.append(", ").append(name);
    }
    return list;
}

void allow(http::Response& response, const std::string& origin, const PageRequest& page, const std::string& methods) {
    response.set("Access-Control-Allow-Origin", origin);
    if (origin != kAnyOrigin) response.set("Access-Control-Allow-Credentials", "true");
    if (page.preflight) {
        response.set("Access-Control-Allow-Methods", methods);
        response.set("Access-Control-Allow-Headers", allowed_headers(page.requested_headers));
        response.set("Access-Control-Max-Age", kPreflightSeconds);
    } else {
        // The headers that an application acts on or shows; a page may read only a few headers unless told (Fetch
        // §4.9).
        response.set("Access-Control-Expose-Headers", "WWW-Authenticate, Retry-After, X-Request-Id");
    }
}

/// Returns true for an origin as browsers send it, of http or https.
bool is_site(std::string_view origin) { return origin.size() <= kLongestOrigin && origin_of(origin) == origin; }

bool may_register(const Settings& settings, const std::string& origin) {
    const auto url = is_site(origin) ? http::parse_url(origin) : std::nullopt;
    if (!url) return false;
    return url->scheme == "https" ? is_named_host(settings.registration.hosts, url->host)
                                  : http::is_loopback_http(*url);
}

/// Returns true for an origin at which a program listens and no page is shown (RFC 8252 §7.3).
bool is_of_program(const store::ClientOfOrigin& of, const std::string& origin) {
    const auto url = http::parse_url(origin);
    return of.native && !of.client.of_stranger && url && http::is_loopback_http(*url);
}

}  // namespace

std::optional<std::string> origin_of(std::string_view uri) {
    const auto url = http::parse_url(uri);
    if (!url || (url->scheme != "https" && url->scheme != "http") || url->host.empty()) return std::nullopt;
    const std::string site = url->scheme + "://" + util::to_lower(url->host);  // RFC 6454 §6.2
    return is_default_port(*url) ? site : site + ":" + url->port;
}

bool is_client_page(Context& context, std::string_view origin, const std::optional<model::ClientId>& client) {
    if (!is_site(origin)) return false;  // anybody can send any text, which costs no query
    return std::ranges::any_of(store::find_clients_of_origin(context.store, origin, client), [&](const auto& of) {
        return !is_of_program(of, std::string(origin)) && !find_client_bar(context.settings, of.client);
    });
}

void allow_client_origins(http::Response& response, const PageRequest& page, const std::string& methods,
                          Context& context) {
    vary_with_origin(response);  // also without an origin: a cache must not hand this answer to a page
    std::optional<model::ClientId> client;
    if (response.client_id) client.emplace(*response.client_id);
    if (page.origin.empty()) return;
    if (page.origin != response.reader && !is_client_page(context, page.origin, client)) return;
    allow(response, page.origin, page, methods);
}

void allow_registering_origins(http::Response& response, const PageRequest& page, const std::string& methods,
                               const Settings& settings) {
    if (settings.registration.mode == RegistrationMode::token) return allow_any_origin(response, page, methods);
    vary_with_origin(response);
    if (settings.registration.mode == RegistrationMode::open && may_register(settings, page.origin))
        allow(response, page.origin, page, methods);
}

void allow_any_origin(http::Response& response, const PageRequest& page, const std::string& methods) {
    vary_with_origin(response);  // also without an origin, as above
    allow(response, is_site(page.origin) ? page.origin : kAnyOrigin, page, methods);
}

}  // namespace postern::oauth
