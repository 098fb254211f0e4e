// One spelling for one IP address, so that addresses can be compared and counted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::gateway {

/// The canonical text of an IPv4 or IPv6 address (RFC 5952); an IPv4-mapped IPv6 address is the IPv4 one. nullopt for
/// anything else: names, networks, ports, zones.
std::optional<std::string> canonical_address(std::string_view text);

/// Whose request it is. `peer` (REMOTE_ADDR) unless it is a trusted proxy; then the right-most entry of X-Forwarded-For
/// that is not one itself. Entries to its left were written by the client and are never believed. "" when the
/// web server gave no address (a Unix-domain client).
std::string client_address(std::string_view peer, std::string_view forwarded_for,
                           const std::vector<std::string>& trusted);

}  // namespace postern::gateway
