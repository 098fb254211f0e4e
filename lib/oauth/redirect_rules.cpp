// Decides which redirect URIs a client may have: a table of rules about the text, another about the parsed URL, in the
// order in which their answers are most useful.
#include "oauth/redirect_rules.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>

#include "fetch/allowed.h"
#include "http/url.h"
#include "util/percent.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

/// RFC 3986 §2: neither reserved nor unreserved, so only as a percent-encoded byte.
bool is_never_in_uri(char c) { return std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos; }

bool has_bad_percent(std::string_view uri) {
    for (std::size_t at = uri.find('%'); at != uri.npos; at = uri.find('%', at + 1))
        if (!util::percent_byte(uri, at)) return true;
    return false;
}

bool has_scheme(std::string_view uri) {
    const std::size_t colon = uri.find_first_of(":/?#");
    const std::string_view scheme = uri.substr(0, colon);
    return colon != uri.npos && uri[colon] == ':' && !scheme.empty() && util::is_letter(scheme.front()) &&
           std::ranges::all_of(scheme, [](char c) {
               return util::is_letter(c) || util::is_digit(c) || c == '+' || c == '-' || c == '.';
           });
}

std::string_view authority_of(std::string_view uri) {
    const std::size_t slashes = uri.find("//");
    if (slashes == uri.npos) return {};
    const std::string_view rest = uri.substr(slashes + 2);
    return rest.substr(0, rest.find_first_of("/?#"));
}

std::string bad_character(char c) {
    char encoded[4];
    std::snprintf(encoded, sizeof encoded, "%%%02X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    std::string fault = "contains ";
    fault += c;
    fault += ", which must not be in a URI; replace a placeholder by what it stands for, or write ";
    return fault += encoded;
}

constexpr std::uint32_t kLoopbackNetwork = 127;

/// 127.0.0.0/8, and 0.0.0.0, to which a connection reaches the machine itself.
bool is_own_v4(const in_addr& address) {
    const std::uint32_t number = ntohl(address.s_addr);
    return number >> 24 == kLoopbackNetwork || number == 0;
}

bool is_own_v6(const in6_addr& address) {
    in_addr v4{};
    std::copy_n(address.s6_addr + 12, 4, reinterpret_cast<unsigned char*>(&v4.s_addr));
    return IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_UNSPECIFIED(&address) ||
           (IN6_IS_ADDR_V4MAPPED(&address) && is_own_v4(v4));
}

/// Returns why http::parse_url refuses `uri`, as the words after it ("contains ..."), and what to write instead.
std::string uri_fault(std::string_view uri) {
    const auto bad = std::ranges::find_if(uri, is_never_in_uri);
    if (bad != uri.end()) return bad_character(*bad);
    if (has_bad_percent(uri))
        return "contains a % without two hexadecimal digits behind it; write %25 for the character itself";
    if (!has_scheme(uri))
        return "is not an absolute URI; write it in full, for example https://app.example.org/callback";
    if (std::ranges::count(uri, '#') > 1) return "contains # twice; a redirect URI has none";
    const std::string_view authority = authority_of(uri);
    if (std::ranges::count(authority, '@') > 1)
        return "contains @ twice before the path; a redirect URI has none there";
    if (authority.find_first_of("[]") != authority.npos)
        return "has brackets around a host that is not an IPv6 address; write [::1], or a name without brackets";
    if (uri.find_first_of("[]") != uri.npos) return "contains a bracket behind the host; write %5B and %5D";
    if (authority.find(':') != authority.npos)
        return "has a port that is not a number from 1 to 65535, or an IPv6 address without brackets";
    return "is not a URI (RFC 3986); write it in full, for example https://app.example.org/callback";
}

// A browser that is redirected to such a URI runs, shows or reads something on the user's machine, or fails.
constexpr std::array<std::string_view, 14> kForbiddenSchemes = {
    "javascript",  "data", "file",   "vbscript", "about", "blob", "filesystem",
    "view-source", "ftp",  "mailto", "tel",      "sms",   "ws",   "wss"};

bool is_web(const http::UrlParts& url) { return url.scheme == "https" || url.scheme == "http"; }

bool has_bad_port(const http::UrlParts& url) { return url.has_port && !util::parse_port(url.port); }

/// Browsers read four decimal numbers as they are written, and an octal, hexadecimal or missing number otherwise
/// (WHATWG URL, host parsing).
bool is_read_as_other_address(const http::UrlParts& url) {
    return fetch::ends_in_number(url.host) && !fetch::parse_address(url.host);
}

struct TextRule {
    bool (*broken)(std::string_view);
    const char* reason;
};

const TextRule kTextRules[] = {
    {[](std::string_view uri) { return uri.empty(); }, "is empty"},
    {[](std::string_view uri) { return uri.size() > kMaxRedirectUriBytes; }, "is longer than 2048 bytes"},
    {[](std::string_view uri) { return util::has_control_bytes(uri); }, "contains a control character; type it again"},
    {[](std::string_view uri) { return uri.find(' ') != uri.npos; }, "contains a space; write %20 or remove it"},
    {[](std::string_view uri) { return !util::is_vschar(uri); },
     "contains a non-ASCII character; write the host in its xn-- form and percent-encode the rest"},
    {[](std::string_view uri) { return uri.find('*') != uri.npos; },
     "contains a wildcard, and redirect URIs are compared exactly; register each URI in full"},  // RFC 9700 §2.1
};

struct UrlRule {
    bool (*broken)(const http::UrlParts&, bool native);
    const char* reason;
};

const UrlRule kUrlRules[] = {
    {[](const http::UrlParts& url, bool) {
         return std::ranges::find(kForbiddenSchemes, url.scheme) != kForbiddenSchemes.end();
     },
     "has a scheme that must not receive a browser; use https"},
    {[](const http::UrlParts& url, bool) { return url.fragment.has_value(); },
     "has a fragment (#...), which RFC 6749 section 3.1.2 forbids; remove it"},
    {[](const http::UrlParts& url, bool) { return url.has_user_info; },
     "has a user name before the host (...@host), which hides where it leads; remove it"},
    {[](const http::UrlParts& url, bool) { return is_web(url) && url.host.empty(); },
     "has no host; write https://host/path"},
    {[](const http::UrlParts& url, bool) { return has_bad_port(url); },
     "has a port that is not a number from 1 to 65535"},
    {[](const http::UrlParts& url, bool) {
         return url.scheme == "http" && !http::is_loopback_http(url) && names_this_machine(url.host);
     },
     "is plain http and names this machine in a way that does not count as loopback; write http://127.0.0.1, "
     "http://[::1] or http://localhost"},
    {[](const http::UrlParts& url, bool) { return url.scheme == "http" && !http::is_loopback_http(url); },
     "is plain http to another machine, where anyone on the network can read the code; use https"},
    // Users are shown the host, and browsers decode it first.
    {[](const http::UrlParts& url, bool) { return is_web(url) && url.host.find('%') != url.host.npos; },
     "has a percent-encoded host, which hides where it leads; write the name itself"},
    {[](const http::UrlParts& url, bool) { return is_web(url) && is_read_as_other_address(url); },
     "has a host that browsers read as another IP address; write the four numbers of the address"},
    {[](const http::UrlParts& url, bool native) { return !is_web(url) && !native; },
     "has a private-use scheme, which only native clients may have; use https or add --native"},  // RFC 8252 §7.1
    {[](const http::UrlParts& url, bool) { return !is_web(url) && url.host.empty() && url.path.empty(); },
     "is only a scheme; add a path, for example com.example.app:/callback"},
};

}  // namespace

std::optional<std::string> redirect_uri_problem(std::string_view uri, bool native) {
    for (const TextRule& rule : kTextRules) {
        if (rule.broken(uri)) return rule.reason;
    }
    const auto url = http::parse_url(uri);
    if (!url) return uri_fault(uri);
    for (const UrlRule& rule : kUrlRules) {
        if (rule.broken(*url, native)) return rule.reason;
    }
    return std::nullopt;
}

bool names_this_machine(std::string_view host) {
    std::string name = util::to_lower(host);
    if (name.starts_with('[') && name.ends_with(']')) {
        in6_addr parsed{};
        return inet_pton(AF_INET6, name.substr(1, name.size() - 2).c_str(), &parsed) == 1 && is_own_v6(parsed);
    }
    if (name.ends_with('.')) name.pop_back();
    if (name == "localhost" || name.ends_with(".localhost")) return true;  // RFC 6761 §6.3
    in_addr parsed{};
    return inet_aton(name.c_str(), &parsed) != 0 && is_own_v4(parsed);
}

bool has_scheme_without_dot(std::string_view redirect_uri) {
    const auto url = http::parse_url(redirect_uri);
    if (!url || is_web(*url)) return false;
    const auto dot = url->scheme.find('.');
    return dot == std::string::npos || dot + 1 == url->scheme.size();
}

bool is_loopback_or_private(std::string_view redirect_uri) {
    const auto url = http::parse_url(redirect_uri);
    if (!url) return true;  // unknown ground is treated as the riskier kind
    return !is_web(*url) || http::is_loopback_http(*url);
}

}  // namespace postern::oauth
