// The characters around a value that has its own direction in a sentence (UAX #9 §2.4.2).
#pragma once

#include <string_view>

namespace postern::text {

inline constexpr std::string_view kLeftToRight = "\xE2\x81\xA6";   // U+2066
inline constexpr std::string_view kOwnDirection = "\xE2\x81\xA8";  // U+2068: that of its first letter
inline constexpr std::string_view kEndsIsolate = "\xE2\x81\xA9";   // U+2069

}  // namespace postern::text
