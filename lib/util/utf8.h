// Decodes UTF-8 one character at a time (RFC 3629 §4).
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace postern::util {

/// The first character of a text, or an invalid byte.
struct Utf8Step {
    std::optional<char32_t> code_point;  ///< nullopt: overlong, a surrogate, above U+10FFFF, cut short or a stray byte
    std::size_t length = 0;              ///< bytes to advance by, at least 1
};

/// Reads the start of `bytes`, which must not be empty.
Utf8Step next_utf8(std::string_view bytes);

/// Returns the number of valid bytes at the start: `bytes.size()` when all are.
std::size_t valid_utf8_prefix(std::string_view bytes);

/// U+FFFD, which replaces bytes that are not UTF-8.
inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// The Unicode bidirectional controls: U+061C, U+200E, U+200F, U+202A-E, U+2066-9.
bool is_bidi_control(char32_t code_point);

/// C0, DEL and C1: U+0000-1F, U+007F-9F.
bool is_control(char32_t code_point);

}  // namespace postern::util
