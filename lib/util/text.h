// Checks and conversions of text that several modules share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::util {

/// Judges by ASCII, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Returns whether bytes are UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

/// Returns whether a text has a byte below 0x20, or 0x7f.
bool has_control_bytes(std::string_view text);

/// Returns whether a text has only %x20-7E (RFC 6749 appendix A, VSCHAR).
bool is_vschar(std::string_view text);

/// Returns the pieces between separators, empty ones included.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Reads decimal digits, without sign and blank, of a number up to `max`.
std::optional<std::int64_t> parse_digits(std::string_view text, std::int64_t max);

/// Reads 1 to 65535 in its only spelling: no sign, no leading zero.
std::optional<int> parse_port(std::string_view text);

/// Turns ASCII letters into lower case, and leaves all other bytes.
std::string to_lower(std::string_view text);
/// Turns ASCII letters into upper case, and leaves all other bytes.
std::string to_upper(std::string_view text);

/// Compares without the case of ASCII letters, as in names of header fields (RFC 9110 §5.1).
bool equal_ignoring_case(std::string_view a, std::string_view b);

/// Removes leading and trailing spaces and tabs.
std::string_view trim(std::string_view text);

/// Prepares text that people typed for pages and terminals (names, claims). Takes out control characters, bidirectional
/// controls and separators of lines, so that a name cannot reorder the sentence around it, and combining marks beyond
/// the fourth on a character, which would cover it.
std::string displayable(std::string_view utf8);

/// Appends `text` to `out`, with its quotes (RFC 8259 §7). Invalid UTF-8 becomes U+FFFD. `<`, `>` and `&` are escaped
/// too (inert in HTML), and DEL and C1 controls, U+2028, U+2029 and bidirectional controls (one line on every screen,
/// in reading order), and combining marks beyond the fourth on a character (no line covers another).
void append_json_string(std::string& out, std::string_view text);

}  // namespace postern::util
