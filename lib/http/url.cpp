// Where the parts of a URL begin and end, and what may stand in each (RFC 3986).
#include "http/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "util/percent.h"
#include "util/text.h"

namespace postern::http {
namespace {

/// More than any redirect URI or issuer needs.
constexpr std::size_t kMaxLength = 8192;

using util::is_digit;
using util::is_letter;

/// Unreserved characters, sub-delims and percent-encoded bytes (RFC 3986 §2), and the characters of `also`.
bool consists_of_data(std::string_view text, std::string_view also) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_letter(c) || is_digit(c) || also.find(c) != std::string_view::npos) continue;
        if (std::string_view("-._~!$&'()*+,;=").find(c) != std::string_view::npos) continue;
        if (c != '%' || !util::percent_byte(text, i)) return false;
        i += 2;
    }
    return true;
}

/// RFC 3986 §3.1; lower case already.
bool is_scheme(std::string_view scheme) {
    return !scheme.empty() && is_letter(scheme.front()) && std::ranges::all_of(scheme, [](char c) {
        return is_letter(c) || is_digit(c) || c == '+' || c == '-' || c == '.';
    });
}

/// A name, an IPv4 address, or an IPv6 address in brackets (RFC 3986 §3.2.2). IPvFuture is refused: none has been
/// defined.
bool is_host(const std::string& host) {
    if (!host.starts_with('[')) return consists_of_data(host, "");
    if (!host.ends_with(']')) return false;
    const std::string address = host.substr(1, host.size() - 2);
    if (address.find('\0') != std::string::npos) return false;  // inet_pton stops there
    in6_addr parsed{};
    return ::inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

/// Returns whether each part has only the characters that RFC 3986 appendix A allows there.
bool follows_grammar(const UrlParts& parts) {
    return is_scheme(parts.scheme) && consists_of_data(parts.user_info, ":") && is_host(parts.host) &&
           std::ranges::all_of(parts.port, is_digit) && consists_of_data(parts.path, ":@/") &&
           consists_of_data(parts.query.value_or(""), ":@/?") && consists_of_data(parts.fragment.value_or(""), ":@/?");
}

/// Takes what stands before `end` off the front of `rest`; everything when `end` is npos.
std::string_view take_until(std::string_view& rest, std::size_t end) {
    const std::string_view front = rest.substr(0, end);
    rest.remove_prefix(front.size());
    return front;
}

/// [user_info@]host[:port] (RFC 3986 §3.2).
void split_authority(std::string_view authority, UrlParts& parts) {
    if (const std::size_t at = authority.find('@'); at != std::string_view::npos) {
        parts.has_user_info = true;
        parts.user_info = take_until(authority, at);
        authority.remove_prefix(1);
    }
    const std::size_t bracket = authority.rfind(']');
    const std::size_t colon = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
    parts.host = take_until(authority, colon);
    if (authority.empty()) return;
    parts.has_port = true;
    parts.port = authority.substr(1);
}

/// application/x-www-form-urlencoded, with blanks as %20, which every decoder reads (RFC 6749 appendix B).
std::string encode(const Parameters& parameters) {
    std::string out;
    for (const auto& [name, value] : parameters) {
        if (!value) continue;
        if (!out.empty()) out += '&';
        out += util::percent_encode(name) + '=' + util::percent_encode(*value);
    }
    return out;
}

}  // namespace

std::optional<UrlParts> parse_url(std::string_view text) {
    if (text.empty() || text.size() > kMaxLength) return std::nullopt;
    // RFC 3986 appendix B: the first delimiters decide; a second "@" or ":" is left in a part that may not have it.
    const std::size_t colon = text.find_first_of(":/?#");
    if (colon == std::string_view::npos || text[colon] != ':') return std::nullopt;  // a relative reference
    UrlParts parts;
    parts.scheme = util::to_lower(text.substr(0, colon));
    text.remove_prefix(colon + 1);
    if (text.starts_with("//")) {
        parts.has_authority = true;
        text.remove_prefix(2);
        split_authority(take_until(text, text.find_first_of("/?#")), parts);
    }
    parts.path = take_until(text, text.find_first_of("?#"));
    if (text.starts_with('?')) parts.query = take_until(text, text.find('#')).substr(1);
    if (text.starts_with('#')) parts.fragment = text.substr(1);
    if (!follows_grammar(parts)) return std::nullopt;
    return parts;
}

std::optional<std::string> normalize_url(std::string_view text) {
    const auto url = parse_url(text);
    if (!url) return std::nullopt;
    const bool has_default_port = url->port.empty() || (url->scheme == "https" && url->port == "443") ||
                                  (url->scheme == "http" && url->port == "80");
    std::string out = url->scheme + ":";
    if (url->has_authority) {
        out += "//";
        if (url->has_user_info) out += url->user_info + "@";
        out += util::to_lower(url->host);
        if (!has_default_port) out += ":" + url->port;
    }
    out += url->has_authority && url->path.empty() ? "/" : url->path;
    if (url->query) out += "?" + *url->query;
    if (url->fragment) out += "#" + *url->fragment;
    return out;
}

std::string one_spelling(std::string_view text) { return normalize_url(text).value_or(std::string(text)); }

std::string canonical_host(std::string_view host) {
    in6_addr address{};
    const std::string inside(host.starts_with('[') && host.ends_with(']') ? host.substr(1, host.size() - 2) : "");
    if (::inet_pton(AF_INET6, inside.c_str(), &address) != 1) return util::to_lower(host);
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET6, &address, text.data(), text.size());
    return "[" + std::string(text.data()) + "]";
}

bool is_loopback_http(const UrlParts& url) {
    const std::string host = util::to_lower(url.host);
    return url.scheme == "http" && (host == "127.0.0.1" || host == "[::1]" || host == "localhost");
}

std::string with_query(std::string_view url, const Parameters& parameters) {
    std::string out(take_until(url, url.find('#')));
    const std::string added = encode(parameters);
    const std::size_t question_mark = out.find('?');  // a later one belongs to the query
    const bool at_start = question_mark + 1 == out.size() || out.ends_with('&');
    if (added.empty()) return out += url;
    if (question_mark == std::string::npos)
        out += '?';
    else if (!at_start)
        out += '&';
    out.append(added).append(url);  // a fragment stays at the end
    return out;
}

std::string with_fragment(std::string_view url, const Parameters& parameters) {
    return std::string(url.substr(0, url.find('#'))) + '#' + encode(parameters);
}

std::vector<std::string> served_paths(std::string_view issuer, const std::vector<std::string>& relative) {
    const auto url = parse_url(issuer);
    const std::string base = url ? url->path : std::string();
    std::vector<std::string> paths;
    for (const std::string& path : relative) {
        if (!base.empty()) paths.push_back(base + path);
        paths.push_back(path);
    }
    return paths;
}

}  // namespace postern::http
