// Which URLs, paths and names the configuration accepts.
#include "config/checks.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "gateway/variables.h"
#include "http/url.h"
#include "model/standard_claims.h"
#include "oauth/settings.h"
#include "text/language_tag.h"
#include "util/text.h"

namespace postern::config {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kUpper = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kLongestPath = 255;
constexpr std::size_t kLongestLogoutUrl = 2048;

/// The variables of RFC 3875 §4.1 without REMOTE_USER, and the same kind of variables of web servers. AUTH_TYPE is not
/// a name, and REMOTE_IDENT comes from a program on the client's machine.
constexpr std::string_view kOfTheRequest[] = {"AUTH_TYPE",
                                              "CONTENT_LENGTH",
                                              "CONTENT_TYPE",
                                              "DOCUMENT_ROOT",
                                              "DOCUMENT_URI",
                                              "GATEWAY_INTERFACE",
                                              "HTTPS",
                                              "PATH_INFO",
                                              "PATH",
                                              "PATH_TRANSLATED",
                                              "QUERY_STRING",
                                              "REMOTE_ADDR",
                                              "REMOTE_HOST",
                                              "REMOTE_IDENT",
                                              "REMOTE_PORT",
                                              "REQUEST_METHOD",
                                              "REQUEST_SCHEME",
                                              "REQUEST_URI",
                                              "SCRIPT_FILENAME",
                                              "SCRIPT_NAME",
                                              "SCRIPT_URI",
                                              "SCRIPT_URL",
                                              "SERVER_ADDR",
                                              "SERVER_NAME",
                                              "SERVER_PORT",
                                              "SERVER_PROTOCOL",
                                              "SSL_CLIENT_VERIFY",
                                              "URL"};

bool consists_of(std::string_view text, std::initializer_list<std::string_view> alphabets) {
    return std::ranges::all_of(text, [&](char c) {
        return std::ranges::any_of(alphabets, [&](std::string_view set) { return set.find(c) != set.npos; });
    });
}

/// "" or a path with one spelling; the fault's words fit behind "path".
Fault segments_fault(std::string_view path) {
    if (path.empty()) return std::nullopt;
    if (path.size() > kLongestPath) return "must not be longer than 255 characters";
    if (path.front() != '/') return "must start with \"/\"";
    if (path.back() == '/') return "must not end in \"/\"";
    for (const std::string_view segment : util::split(path.substr(1), '/')) {
        if (segment.empty()) return "must not contain \"//\"";
        if (segment == "." || segment == "..") return "must not contain \".\" or \"..\" segments";
        if (!consists_of(segment, {kLetters, kUpper, kDigits, "-._~"})) {
            return "may contain only letters, digits and - . _ ~ between its slashes";
        }
    }
    return std::nullopt;
}

Fault host_fault(const http::UrlParts& url) {
    const std::string& host = url.host;
    if (host.empty()) return "must name a host";
    const bool literal = host.front() == '[';
    if (literal ? !consists_of(host, {"abcdef", kDigits, "[]:."}) : !consists_of(host, {kLetters, kDigits, "-._"})) {
        return "must spell its host in lower case, without percent-encoding (international names in their xn-- form)";
    }
    return std::nullopt;
}

Fault port_fault(const http::UrlParts& url) {
    if (!url.has_port) return std::nullopt;
    const auto port = util::parse_port(url.port);
    if (!port) return "must have a port between 1 and 65535, or none";
    if ((url.scheme == "https" && *port == 443) || (url.scheme == "http" && *port == 80)) {
        return "must leave out the default port";
    }
    return std::nullopt;
}

Fault scheme_fault(std::string_view issuer, const http::UrlParts& url) {
    if (url.scheme == "https" && issuer.starts_with("https://")) return std::nullopt;
    if (url.scheme == "http" && issuer.starts_with("http://") && http::is_loopback_http(url)) return std::nullopt;
    return "must start with https:// (http:// only for 127.0.0.1, [::1] or localhost)";
}

Fault extras_fault(const http::UrlParts& url) {
    if (url.has_user_info) return "must not contain user information";
    if (url.query) return "must not contain a query";
    if (url.fragment) return "must not contain a fragment";
    if (url.path.ends_with('/')) return "must not end in \"/\"";
    if (const Fault fault = segments_fault(url.path)) return "has a path that " + *fault;
    return std::nullopt;
}

/// The mark may occur once, in the query.
bool is_mark_misplaced(std::string_view url) {
    const std::string_view mark = login::kReturnMark;
    const auto first = url.find(mark);
    if (first == url.npos) return false;
    return first < url.find('?') || url.find(mark, first + 1) != url.npos;
}

}  // namespace

Fault issuer_fault(std::string_view issuer) {
    const auto url = http::parse_url(issuer);
    if (!url || !url->has_authority) return "must be an absolute URL such as https://id.example.org";
    for (const Fault& fault : {scheme_fault(issuer, *url), host_fault(*url), port_fault(*url), extras_fault(*url)}) {
        if (fault) return fault;
    }
    return std::nullopt;
}

bool is_address(std::string_view host) {
    return host.starts_with('[') || consists_of(util::split(host, '.').back(), {kDigits});
}

Fault rp_id_fault(std::string_view rp_id) {
    constexpr std::size_t kLongest = 253;
    const auto labels = util::split(rp_id, '.');
    const bool is_name = rp_id.size() <= kLongest && std::ranges::all_of(labels, [](std::string_view label) {
                             return !label.empty() && consists_of(label, {kLetters, kDigits, "-"});
                         });
    if (!is_name) return "must be the name of a host in lower case, such as example.org, without scheme and port";
    if (is_address(rp_id)) return "must not be an IP address: passkeys are for names";
    if (labels.size() < 2 && rp_id != "localhost")
        return "must not be a top-level domain: a passkey of it would be for all sites below it";
    return std::nullopt;
}

Fault path_fault(std::string_view path) {
    if (path.empty()) return "must start with \"/\"";
    // RFC 8414 §3.1 puts the issuer's path behind this one: it cannot be given to another endpoint.
    constexpr std::string_view kAuthorizationServer = "/.well-known/oauth-authorization-server";
    if (path.starts_with(kAuthorizationServer)) {
        return "must not begin with the fixed path of the authorization server metadata, " +
               std::string(kAuthorizationServer);
    }
    return segments_fault(path);
}

Fault file_fault(std::string_view name) {
    if (name.empty() || name.front() != '/') return "must be an absolute file name";
    if (util::has_control_bytes(name)) return "must not contain control characters";
    return std::nullopt;
}

Fault variable_fault(std::string_view name) {
    if (!gateway::is_variable_name(name))
        return "must be the name of a CGI variable: 1 to 128 letters, digits, - and _, no digit first";
    const std::string plain = gateway::plain_name(name);
    if (plain.starts_with("HTTP_"))
        return "must not be a header (HTTP_...): the client controls those. Have the web server's module set a "
               "variable with another name";
    if (plain == "REMOTE_USER" && name != plain)
        return "must be exactly REMOTE_USER: its REDIRECT_ copy holds the name of a failed login";
    constexpr std::string_view kCertificate = "SSL_CLIENT_";
    if (plain.starts_with(kCertificate) && !name.starts_with(kCertificate))
        return "must begin with exactly SSL_CLIENT_: no other spelling is known to need a verified certificate";
    if (plain.starts_with("SSL_") && !plain.starts_with(kCertificate))
        return "must not be a variable of the connection: of TLS only the client's certificate (SSL_CLIENT_...) says "
               "something about the user";
    if (plain.empty() || std::ranges::find(kOfTheRequest, plain) != std::end(kOfTheRequest))
        return "must not be a variable of the request itself: it says nothing about the user";
    return std::nullopt;
}

Fault verify_variable_fault(std::string_view name) {
    return name == "SSL_CLIENT_VERIFY" ? std::nullopt : variable_fault(name);
}

Fault alias_fault(std::string_view url) {
    return url.starts_with("https://") ? issuer_fault(url) : Fault("must start with https://");
}

Fault environment_claim_fault(std::string_view claim) {
    const bool fits = model::find_standard_claim(claim) != nullptr && claim != "address" && claim != "updated_at";
    if (fits) return std::nullopt;
    return "is not a claim that a variable can hold: of OpenID Connect Core section 5.1 those that are text, "
           "email_verified and phone_number_verified";
}

Fault logout_redirect_fault(std::string_view text) {
    constexpr const char* kWanted = "must be an absolute https URL without fragment (http:// only for a loopback host)";
    if (text.size() > kLongestLogoutUrl) return "must not be longer than 2048 characters";
    if (is_mark_misplaced(text)) return "may hold {return} once, in its query";
    constexpr std::string_view kMark = login::kReturnMark;
    const auto mark = text.find(kMark);
    std::string url(text.substr(0, mark));
    if (mark != text.npos) url.append("x").append(text.substr(mark + kMark.size()));
    const auto parts = http::parse_url(url);
    if (!parts || !parts->has_authority || parts->host.empty() || parts->has_user_info || parts->fragment)
        return kWanted;
    return parts->scheme == "https" || http::is_loopback_http(*parts) ? Fault() : Fault(kWanted);
}

Fault proxy_fault(std::string_view proxy) {
    const auto url = http::parse_url(proxy);
    const bool fits = url && url->scheme == "http" && !url->host.empty() && util::parse_port(url->port) &&
                      !url->has_user_info && (url->path.empty() || url->path == "/") && !url->query && !url->fragment;
    return fits ? Fault() : Fault("must be \"http://HOST:PORT\": the proxy is asked to CONNECT");
}

Fault language_fault(std::string_view tag) {
    return text::is_language_tag(tag) ? std::nullopt : Fault("must be a language tag such as \"de\" or \"pt-BR\"");
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    const std::string left = util::to_lower(a);
    const std::string right = util::to_lower(b);
    std::vector<std::size_t> row(right.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < left.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < right.size(); ++j) {
            const std::size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

}  // namespace postern::config
