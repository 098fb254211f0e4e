// Which URLs may be fetched, and which addresses are of the public Internet.
#include "fetch/allowed.h"

#include <arpa/inet.h>

#include <algorithm>

#include "http/url.h"
#include "util/text.h"

namespace postern::fetch {
namespace {

constexpr unsigned kMappedBits = 96;

/// The bits of byte `index` that belong to a prefix of `bits` bits.
std::uint8_t mask(unsigned bits, std::size_t index) {
    const auto left = static_cast<int>(bits) - static_cast<int>(index * 8);
    return left >= 8 ? 0xff : left <= 0 ? 0 : static_cast<std::uint8_t>(0xff << (8 - left));
}

/// The registries of IANA: iana-ipv4-special-registry, iana-ipv6-special-registry and multicast.
constexpr const char* kSpecial[] = {
    "0.0.0.0/8",          // this network, RFC 791 §3.2
    "10.0.0.0/8",         // private use, RFC 1918
    "100.64.0.0/10",      // shared by carriers, RFC 6598
    "127.0.0.0/8",        // loopback, RFC 1122 §3.2.1.3
    "169.254.0.0/16",     // link-local, RFC 3927: metadata of clouds
    "172.16.0.0/12",      // private use, RFC 1918
    "192.0.0.0/24",       // protocol assignments, RFC 6890 §2.1
    "192.0.2.0/24",       // documentation, RFC 5737
    "192.31.196.0/24",    // AS112, RFC 7535: whichever node of it is nearest, perhaps one of this network
    "192.52.193.0/24",    // relays of multicast, RFC 7450: likewise
    "192.88.99.0/24",     // relays of 6to4, RFC 7526
    "192.168.0.0/16",     // private use, RFC 1918
    "192.175.48.0/24",    // AS112, RFC 7534
    "198.18.0.0/15",      // benchmarks, RFC 2544
    "198.51.100.0/24",    // documentation, RFC 5737
    "203.0.113.0/24",     // documentation, RFC 5737
    "224.0.0.0/4",        // multicast, RFC 5771
    "240.0.0.0/4",        // reserved, RFC 1112 §4, and broadcast
    "2001::/23",          // protocol assignments, RFC 2928: Teredo, ORCHID and benchmarks among them
    "2001:db8::/32",      // documentation, RFC 3849
    "2620:4f:8000::/48",  // AS112, RFC 7534
    "3fff::/20",          // documentation, RFC 9637
};

/// The only unicast addresses of IPv6 that IANA gives away (RFC 4291 §2.4). Outside of it are IPv4 inside IPv6 (::/96,
/// ::ffff:0:0:0/96 of RFC 7915, 64:ff9b:1::/48), unique local (fc00::/7) and link-local (fe80::/10) addresses,
/// multicast, the discard prefix (100::/64), segment identifiers (5f00::/16) and reserved ranges, which stay refused
/// until this list changes.
constexpr const char* kGlobal = "2000::/3";

/// Prefixes that have an address of IPv4 behind them, and at which byte it begins. ::ffff:0:0/96 is not among them: it
/// is how Address has IPv4.
struct Carrier {
    const char* network;
    std::size_t at;
};
constexpr Carrier kCarriers[] = {{"64:ff9b::/96", 12},  // NAT64, RFC 6052 §2.1
                                 {"2002::/16", 2}};     // 6to4, RFC 3056 §2

bool is_in(const char* network, const Address& address) { return parse_network(network).value().contains(address); }

Address carried(const Address& address, std::size_t at) {
    Address inner = kMapped;
    std::copy_n(address.begin() + static_cast<std::ptrdiff_t>(at), 4, inner.begin() + 12);
    return inner;
}

constexpr std::size_t kLongestName = 253;  // RFC 1035 §2.3.4

/// Labels of letters, digits, - and _, with dots between them and perhaps one at the end; four numbers; or an address
/// in brackets, which http::parse_url has looked at.
bool is_host(std::string_view host) {
    if (host.starts_with('[')) return true;
    if (host.ends_with('.')) host.remove_suffix(1);
    if (host.empty() || host.size() > kLongestName) return false;
    if (ends_in_number(host)) return parse_address(std::string(host)).has_value();
    return std::ranges::all_of(util::split(host, '.'), [](std::string_view label) {
        const auto fits = [](char c) { return util::is_letter(c) || util::is_digit(c) || c == '-' || c == '_'; };
        return !label.empty() && label.size() <= 63 && std::ranges::all_of(label, fits);
    });
}

bool is_among(std::string_view port, bool given, const std::vector<std::uint16_t>& ports) {
    const auto number = given ? util::parse_port(port) : std::optional<int>(443);
    return number && std::ranges::find(ports, *number) != ports.end();
}

}  // namespace

bool is_ipv4(const Address& address) {
    return std::equal(kMapped.begin(), kMapped.begin() + kMappedBits / 8, address.begin());
}

std::optional<Address> parse_address(const std::string& text) {
    Address address{};
    if (text.find('\0') != text.npos) return std::nullopt;
    if (::inet_pton(AF_INET6, text.c_str(), address.data()) == 1) return address;
    address = kMapped;
    if (::inet_pton(AF_INET, text.c_str(), address.data() + kMappedBits / 8) == 1) return address;
    return std::nullopt;
}

bool Network::contains(const Address& address) const {
    for (std::size_t i = 0; i < address.size(); ++i) {
        if (((address[i] ^ first[i]) & mask(bits, i)) != 0) return false;
    }
    return true;
}

std::optional<Network> parse_network(std::string_view text) {
    const auto slash = text.find('/');
    const auto address = parse_address(std::string(text.substr(0, slash)));
    if (!address) return std::nullopt;
    const unsigned before = text.find(':') == text.npos ? kMappedBits : 0;
    Network network{*address, 128};
    if (slash != text.npos) {
        const auto given = util::parse_digits(text.substr(slash + 1), 128 - before);
        if (!given) return std::nullopt;
        network.bits = before + static_cast<unsigned>(*given);
    }
    for (std::size_t i = 0; i < address->size(); ++i) {
        if (((*address)[i] & static_cast<std::uint8_t>(~mask(network.bits, i))) != 0) return std::nullopt;
    }
    return network;
}

std::string network_of(const std::string& address) {
    const auto parsed = parse_address(address);
    if (!parsed) return address;
    return {parsed->begin(), is_ipv4(*parsed) ? parsed->end() : parsed->begin() + 8};
}

std::string format_network(const Network& network) {
    const bool mapped = is_ipv4(network.first) && network.bits >= kMappedBits;
    const std::size_t begin = mapped ? kMappedBits / 8 : 0;
    char text[INET6_ADDRSTRLEN] = "";
    ::inet_ntop(mapped ? AF_INET : AF_INET6, network.first.data() + begin, text, sizeof text);
    return std::string(text) + "/" + std::to_string(network.bits - (mapped ? kMappedBits : 0));
}

bool ends_in_number(std::string_view name) {
    if (name.ends_with('.')) name.remove_suffix(1);
    const std::string_view last = name.substr(name.rfind('.') + 1);
    const bool is_hexadecimal = last.starts_with("0x") || last.starts_with("0X");
    return is_hexadecimal || (!last.empty() && std::ranges::all_of(last, util::is_digit));
}

std::optional<std::string> url_fault(std::string_view url, const std::vector<std::uint16_t>& ports) {
    if (url.size() > kLongestUrl) return "the URL is longer than 2048 bytes";
    const auto parts = http::parse_url(url);
    if (!parts || !parts->has_authority) return "it is not an absolute URL";
    if (parts->scheme != "https") return "the URL is not https";
    if (parts->has_user_info) return "the URL has user information";
    if (parts->fragment) return "the URL has a fragment";
    if (!is_host(parts->host)) return "the host of the URL is neither a name nor an address";
    if (!is_among(parts->port, parts->has_port, ports)) return "the port of the URL is not among \"outbound.ports\"";
    return std::nullopt;
}

std::string host_of(std::string_view url) {
    std::string host = util::to_lower(http::parse_url(url).value().host);
    if (host.ends_with('.')) host.pop_back();
    return host;
}

bool is_special(const Address& address) {
    if (std::ranges::any_of(kSpecial, [&](const char* network) { return is_in(network, address); })) return true;
    for (const Carrier& carrier : kCarriers)
        if (is_in(carrier.network, address)) return is_special(carried(address, carrier.at));
    return !is_ipv4(address) && !is_in(kGlobal, address);
}

bool may_connect(const Address& address, const std::vector<Network>& allow) {
    const bool allowed = std::ranges::any_of(allow, [&](const Network& network) { return network.contains(address); });
    return allowed || !is_special(address);
}

std::optional<std::string> host_fault(const std::string& host, const std::vector<Network>& allow) {
    const bool is_bracketed = host.starts_with('[') && host.ends_with(']');
    const bool is_here = host == "localhost" || host.ends_with(".localhost");
    const auto address = parse_address(is_here ? "127.0.0.1" : is_bracketed ? host.substr(1, host.size() - 2) : host);
    if (!address || may_connect(*address, allow)) return std::nullopt;
    return "the address in the URL is not one of the public Internet, and is not in \"outbound.allow\"";
}

}  // namespace postern::fetch
