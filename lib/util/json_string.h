// Text as one JSON string literal: for the JSON writer and for the log, which sits below it.
#pragma once

#include <string>
#include <string_view>

namespace postern::util {

/// Appends `text` to `out`, with its quotes (RFC 8259 §7). Invalid UTF-8 becomes U+FFFD. `<`, `>` and `&` are escaped
/// too (inert in HTML), and DEL and C1 controls, U+2028, U+2029 and bidirectional controls (one line on every screen,
/// in reading order), and combining marks beyond the fourth on a character (no line covers another).
void append_json_string(std::string& out, std::string_view text);

}  // namespace postern::util
