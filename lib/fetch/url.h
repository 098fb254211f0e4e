// Decides which URLs may be fetched (FETCH-4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::fetch {

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

}  // namespace postern::fetch
