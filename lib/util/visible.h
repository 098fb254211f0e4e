// Can a text be seen on a page?
#pragma once

#include <string_view>

namespace postern::util {

/// Shown as nothing at all: Unicode's property Default_Ignorable_Code_Point.
bool is_ignorable(char32_t code_point);

/// Shown as a gap: Unicode's white space without control characters, and the braille pattern without a dot.
bool is_blank(char32_t code_point);

/// Removes from both ends what cannot be seen there: white space, ignorable characters and control characters. People
/// type and paste them without noticing (docs/decisions/0098). Bytes that are not UTF-8 are left.
std::string_view trim_invisible(std::string_view text);

/// Whether something of it is neither ignorable, blank nor a control character. Bytes that are not UTF-8 can be seen.
bool can_be_seen(std::string_view text);

}  // namespace postern::util
