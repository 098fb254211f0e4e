// Checks and conversions of text that several modules share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::util {

/// ASCII, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Valid UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

/// True when it has a byte below 0x20 or 0x7f.
bool has_control_bytes(std::string_view text);

/// Only %x20-7E (RFC 6749 appendix A, VSCHAR).
bool is_vschar(std::string_view text);

/// The pieces between separators, empty ones included.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Decimal digits only, no sign, no blank, at most `max`.
std::optional<std::int64_t> parse_digits(std::string_view text, std::int64_t max);

/// 1 to 65535 in its only spelling: no sign, no leading zero.
std::optional<int> parse_port(std::string_view text);

/// ASCII letters only; everything else is left as it is.
std::string to_lower(std::string_view text);

/// ASCII letters only, as in names of header fields (RFC 9110 §5.1).
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// Without leading and trailing spaces and tabs.
std::string_view trim(std::string_view text);

/// Text that people typed and pages or terminals show (names, claims): control characters, the Unicode bidirectional
/// controls (U+200E, U+200F, U+202A-E, U+2066-9, U+061C) and separators of lines are taken out, so that a name cannot
/// reorder the sentence around it; likewise combining marks beyond the fourth on a character, which would cover it.
std::string displayable(std::string_view utf8);

}  // namespace postern::util
