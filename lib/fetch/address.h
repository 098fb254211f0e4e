// Decides which addresses may be connected to (FETCH-5): a name of the public's choice must not lead to this network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "fetch/network.h"

namespace postern::fetch {

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
