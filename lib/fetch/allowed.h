// Decides which URLs may be fetched (FETCH-4) and which addresses may be connected to (FETCH-5): a name of the public's
// choice must not lead to this network. Networks are written as by CIDR (RFC 4632 §3.1, RFC 4291 §2.3).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// Returns the part of an address that one customer of a provider has, as bytes: an IPv4 address, or the /64 of an IPv6
/// one. Text that is no address comes back as it is.
std::string network_of(const std::string& address);

/// Writes a network as parse_network reads it.
std::string format_network(const Network& network);

inline constexpr std::size_t kLongestUrl = 2048;

/// Returns whether the last label of a name is a number: resolvers and browsers read such a name as an address of IPv4
/// (127.1, 0x7f.0.0.1, 2130706433; inet_aton(3)). A dot at its end is not looked at.
bool ends_in_number(std::string_view name);

/// Returns the fault of a URL, or nullopt: https, a host that is a DNS name or an address in its usual spelling, one of
/// the ports (443 when it names none), no user information, no fragment, at most kLongestUrl bytes. Nothing is looked
/// up.
std::optional<std::string> url_fault(std::string_view url, const std::vector<std::uint16_t>& ports);

/// Returns the host of a URL without fault, in lower case and without a dot at its end.
std::string host_of(std::string_view url);

/// Returns whether the address is of a special purpose by the registries of IANA (RFC 6890), or of IPv6 and not global:
/// not an address of the public Internet. An address of IPv6 that carries one of IPv4 (mapped, NAT64, 6to4) is special
/// when that one is.
bool is_special(const Address& address);

/// Accepts addresses that are not special, and all of the operator's networks `allow`.
bool may_connect(const Address& address, const std::vector<Network>& allow);

/// Returns why a proxy must not be asked for a host (as host_of writes it), or nullopt. Refuses an address that may not
/// be connected to, and a name of the proxy's own machine (RFC 6761 §6.3) unless 127.0.0.1 may be. The proxy resolves
/// all other names itself.
std::optional<std::string> host_fault(const std::string& host, const std::vector<Network>& allow);

}  // namespace postern::fetch
