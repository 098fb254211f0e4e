// The registries of IANA as a table: iana-ipv4-special-registry, iana-ipv6-special-registry and multicast.
#include "fetch/address.h"

#include <algorithm>

namespace postern::fetch {
namespace {

constexpr const char* kSpecial[] = {
    "0.0.0.0/8",        // this network, RFC 791 §3.2
    "10.0.0.0/8",       // private use, RFC 1918
    "100.64.0.0/10",    // shared by carriers, RFC 6598
    "127.0.0.0/8",      // loopback, RFC 1122 §3.2.1.3
    "169.254.0.0/16",   // link-local, RFC 3927: metadata of clouds
    "172.16.0.0/12",    // private use, RFC 1918
    "192.0.0.0/24",     // protocol assignments, RFC 6890 §2.1
    "192.0.2.0/24",     // documentation, RFC 5737
    "192.88.99.0/24",   // relays of 6to4, RFC 7526
    "192.168.0.0/16",   // private use, RFC 1918
    "198.18.0.0/15",    // benchmarks, RFC 2544
    "198.51.100.0/24",  // documentation, RFC 5737
    "203.0.113.0/24",   // documentation, RFC 5737
    "224.0.0.0/4",      // multicast, RFC 5771
    "240.0.0.0/4",      // reserved, RFC 1112 §4, and broadcast
    "::/96",            // unspecified, loopback, and IPv4 as RFC 4291 §2.5.5.1 once had it
    "64:ff9b:1::/48",   // translation inside a network, RFC 8215
    "100::/64",         // discarded, RFC 6666
    "100:0:0:1::/64",   // dummy prefix, RFC 9780
    "2001::/23",        // protocol assignments, RFC 2928, Teredo among them
    "2001:db8::/32",    // documentation, RFC 3849
    "3fff::/20",        // documentation, RFC 9637
    "5f00::/16",        // segment identifiers, RFC 9602
    "fc00::/7",         // unique local, RFC 4193
    "fe80::/10",        // link-local, RFC 4291 §2.5.6
    "fec0::/10",        // site-local, RFC 3879
    "ff00::/8",         // multicast, RFC 4291 §2.7
};

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
    Address inner{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    std::copy_n(address.begin() + static_cast<std::ptrdiff_t>(at), 4, inner.begin() + 12);
    return inner;
}

}  // namespace

bool is_special(const Address& address) {
    if (std::ranges::any_of(kSpecial, [&](const char* network) { return is_in(network, address); })) return true;
    return std::ranges::any_of(kCarriers, [&](const Carrier& carrier) {
        return is_in(carrier.network, address) && is_special(carried(address, carrier.at));
    });
}

bool may_connect(const Address& address, const std::vector<Network>& allow) {
    const bool allowed = std::ranges::any_of(allow, [&](const Network& network) { return network.contains(address); });
    return allowed || !is_special(address);
}

}  // namespace postern::fetch
