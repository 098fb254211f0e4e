// One spelling for one IP address, so that addresses can be compared and counted.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::gateway {

/// Returns the canonical text of an IPv4 or IPv6 address (RFC 5952); an IPv4-mapped IPv6 address is the IPv4 one.
/// nullopt for anything else: names, networks, ports, zones.
std::optional<std::string> canonical_address(std::string_view text);

/// Reads the address of a node as web servers and proxies write it (RFC 7239 §6): also with a port, in brackets, in
/// quotes, with the zone of a link-local address. nullopt for `unknown`, obfuscated identifiers (`_hidden`) and names.
std::optional<std::string> node_address(std::string_view node);

/// The end of `unknown_because` for a request that a trusted proxy itself has made.
inline constexpr std::string_view kOnlyProxies = "names only trusted proxies in X-Forwarded-For";

/// The client of a request as far as the web server and trusted proxies name it.
struct ClientAddress {
    std::string address;          ///< canonical; "" if it is unknown
    std::string unknown_because;  ///< for the operator, if it is unknown: what to look at
};

/// Returns `peer` (REMOTE_ADDR) unless it is a trusted proxy; then the right-most entry of X-Forwarded-For that is not
/// a trusted proxy. Entries to its left were written by the client and are never believed. A trusted proxy is never the
/// client: where it names no other address, the client is unknown (docs/decisions/0097).
ClientAddress client_address(std::string_view peer, std::string_view forwarded_for,
                             const std::vector<std::string>& trusted);

}  // namespace postern::gateway
