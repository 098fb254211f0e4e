// Decides which addresses may be connected to (FETCH-5): a name of the public's choice must not lead to this network.
#pragma once

#include <vector>

#include "fetch/network.h"

namespace postern::fetch {

/// Of a special purpose by the registries of IANA (RFC 6890): not an address of the public Internet. An address of IPv6
/// that carries one of IPv4 (mapped, NAT64, 6to4) is special when that one is.
bool is_special(const Address& address);

/// `allow` is the operator's: what it contains may be connected to, special or not.
bool may_connect(const Address& address, const std::vector<Network>& allow);

}  // namespace postern::fetch
