// One spelling for one IP address, so that addresses can be compared and counted.
#include "gateway/address.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>

#include "util/text.h"

namespace postern::gateway {
namespace {

constexpr std::size_t kLongestPort = 5;
constexpr std::size_t kLongestShown = 64;

std::string_view without_quotes(std::string_view text) {
    const bool quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
    return quoted ? text.substr(1, text.size() - 2) : text;
}

/// RFC 7239 §6.3: an identifier that a proxy invents in place of an address or a port.
bool is_obfuscated(std::string_view text) {
    return text.size() > 1 && text.front() == '_' && std::ranges::all_of(text, [](char c) {
               return util::is_letter(c) || util::is_digit(c) || c == '.' || c == '_' || c == '-';
           });
}

/// RFC 7239 §6.
bool is_port(std::string_view text) {
    const bool number = !text.empty() && text.size() <= kLongestPort && std::ranges::all_of(text, util::is_digit);
    return number || is_obfuscated(text);
}

/// RFC 4007 §11: only an IPv6 address has a zone, the interface of this or the proxy's machine.
std::optional<std::string> without_zone(std::string_view text) {
    return canonical_address(text.find(':') == text.npos ? text : text.substr(0, text.find('%')));
}

/// `[IPv6 address]`, with a port or without.
std::optional<std::string> in_brackets(std::string_view node) {
    const std::size_t close = node.find(']');
    if (close == node.npos) return std::nullopt;
    const std::string_view inside = node.substr(1, close - 1);
    const std::string_view port = node.substr(close + 1);
    if (inside.find(':') == inside.npos) return std::nullopt;
    if (!port.empty() && (port.front() != ':' || !is_port(port.substr(1)))) return std::nullopt;
    return without_zone(inside);
}

/// Removes the last element of a list and returns it; empty ones do not count (RFC 9110 §5.6.1.2). "" at its end.
std::string_view take_last(std::string_view& list) {
    std::string_view element;
    while (element.empty() && !list.empty()) {
        const std::size_t comma = list.rfind(',');
        element = util::trim(list.substr(comma == list.npos ? 0 : comma + 1));
        list = list.substr(0, comma == list.npos ? 0 : comma);
    }
    return element;
}

std::string shown(std::string_view entry) {
    if (entry.size() > kLongestShown || !util::is_vschar(entry)) return "something unreadable";
    return '"' + std::string(entry) + '"';
}

}  // namespace

std::optional<std::string> canonical_address(std::string_view text) {
    const std::string address(text);
    if (address.find('\0') != std::string::npos) return std::nullopt;
    std::array<unsigned char, 16> bytes{};
    if (inet_pton(AF_INET, address.c_str(), bytes.data()) == 1) return address;  // it has no other spelling
    if (inet_pton(AF_INET6, address.c_str(), bytes.data()) != 1) return std::nullopt;
    constexpr std::array<unsigned char, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool mapped = std::equal(kMapped.begin(), kMapped.end(), bytes.begin());
    std::array<char, INET6_ADDRSTRLEN> name{};
    if (inet_ntop(mapped ? AF_INET : AF_INET6, bytes.data() + (mapped ? kMapped.size() : 0), name.data(),
                  name.size()) == nullptr)
        return std::nullopt;
    return std::string(name.data());
}

std::optional<std::string> node_address(std::string_view node) {
    node = util::trim(without_quotes(util::trim(node)));
    if (node.starts_with('[')) return in_brackets(node);
    // First as it stands: an IPv6 address without brackets has colons of its own.
    if (auto whole = without_zone(node)) return whole;
    const std::size_t colon = node.rfind(':');
    if (colon == node.npos || !is_port(node.substr(colon + 1))) return std::nullopt;
    return without_zone(node.substr(0, colon));
}

ClientAddress client_address(std::string_view peer, std::string_view forwarded_for,
                             const std::vector<std::string>& trusted) {
    const auto is_trusted = [&](const std::string& address) {
        return std::ranges::find(trusted, address) != trusted.end();
    };
    std::optional<std::string> hop = node_address(peer);
    if (!hop) return {"", "the web server passes no IP address in REMOTE_ADDR"};
    bool has_entry = false;
    while (is_trusted(*hop)) {
        std::string proxy = "the proxy " + *hop + " of trustedProxies ";
        const std::string_view entry = take_last(forwarded_for);
        if (entry.empty()) return {"", proxy.append(has_entry ? kOnlyProxies : "sends no X-Forwarded-For")};
        has_entry = true;
        hop = node_address(entry);
        if (!hop) return {"", proxy + "writes " + shown(entry) + " into X-Forwarded-For, not an IP address"};
    }
    return {*std::move(hop), ""};
}

}  // namespace postern::gateway
