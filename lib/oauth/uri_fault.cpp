// Which part of a text keeps it from being a URI, and which hosts are the machine itself.
#include "oauth/uri_fault.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "util/text.h"

namespace postern::oauth {
namespace {

bool is_hex_digit(char c) { return util::is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

/// RFC 3986 §2: neither reserved nor unreserved, so only as a percent-encoded byte.
bool is_never_in_uri(char c) { return std::string_view("\"<>\\^`{|}").find(c) != std::string_view::npos; }

bool has_bad_percent(std::string_view uri) {
    for (std::size_t at = uri.find('%'); at != uri.npos; at = uri.find('%', at + 1))
        if (uri.size() - at < 3 || !is_hex_digit(uri[at + 1]) || !is_hex_digit(uri[at + 2])) return true;
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

}  // namespace

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

bool is_other_loopback(std::string_view host) {
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

}  // namespace postern::oauth
