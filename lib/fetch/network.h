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

/// The prefix ::ffff:0.0.0.0, whose last four bytes become those of an IPv4 address.
inline constexpr Address kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

/// Returns whether an address is one of IPv4.
bool is_ipv4(const Address& address);

/// Reads an IPv4 or IPv6 address without zone, port and brackets; nullopt for other text.
std::optional<Address> parse_address(const std::string& text);

struct Network {
    Address first{};
    unsigned bits = 128;  ///< of the prefix, counted in the 16 bytes: 96 more than IPv4 writes

    bool contains(const Address& address) const;
};

/// Reads "10.0.0.0/8", "fd00::/8" or one address; nullopt for other text and for bits behind the prefix.
std::optional<Network> parse_network(std::string_view text);

/// Writes a network as parse_network reads it.
std::string format_network(const Network& network);

}  // namespace postern::fetch
