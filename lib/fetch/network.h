// Networks of IP addresses, as CIDR writes them (RFC 4632 §3.1, RFC 4291 §2.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postern::fetch {

/// An address of either family in network byte order. IPv4 stands in its mapped form, ::ffff:0:0/96 (RFC 4291
/// §2.5.5.2).
using Address = std::array<std::uint8_t, 16>;

/// An IPv4 or IPv6 address without zone, port and brackets; nullopt: it is none.
std::optional<Address> parse_address(const std::string& text);

struct Network {
    Address first{};
    unsigned bits = 128;  ///< of the prefix, counted in the 16 bytes: 96 more than IPv4 writes

    bool contains(const Address& address) const;
};

/// "10.0.0.0/8", "fd00::/8", or one address; nullopt: it is none, or has bits behind its prefix.
std::optional<Network> parse_network(std::string_view text);

/// As parse_network reads it.
std::string format_network(const Network& network);

}  // namespace postern::fetch
