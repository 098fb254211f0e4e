// How a browser can reach an authenticator: the words that it gave, and is given again (WebAuthn §5.8.4).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace postern::factor {

inline constexpr std::size_t kMaxTransports = 8;
inline constexpr std::size_t kMaxTransportBytes = 32;

/// The words between blanks that have a-z, 0-9 and hyphens only, in their order, at most kMaxTransports. All others are
/// dropped; a word that is not known is kept.
std::vector<std::string> parse_transports(std::string_view words);

}  // namespace postern::factor
