// How characters are shown: seen or not, in their own place or beyond it.
#pragma once

#include <string_view>

namespace postern::util {

/// Returns whether a character is shown as nothing at all: Unicode's property Default_Ignorable_Code_Point.
bool is_ignorable(char32_t code_point);

/// Returns whether a character is of Unicode's general category Cf: it is not drawn, or changes how others are.
bool is_format(char32_t code_point);

/// Returns whether a character is shown as a gap: Unicode's white space without control characters, and the braille
/// pattern without a dot.
bool is_blank(char32_t code_point);

/// Removes white space, ignorable characters and control characters from both ends, where people type and paste them
/// without noticing (docs/decisions/0098). Bytes that are not UTF-8 are left.
std::string_view trim_invisible(std::string_view text);

/// Returns whether a character of `text` is neither ignorable, blank nor a control character. Bytes that are not UTF-8
/// can be seen.
bool can_be_seen(std::string_view text);

/// Returns whether a character is drawn on the one before it: Unicode's general categories Mn and Me.
bool is_combining_mark(char32_t code_point);

/// Counts the combining marks on one character. Fonts put each above or below the one before, so that a stack of them
/// covers the lines around it. Names in use need at most four: in Vietnamese two, in Arabic, Hebrew with its points and
/// Thai up to three, in Burmese four.
class MarkStack {
public:
    /// Returns whether `code_point`, which follows the characters of earlier calls, is a mark on top of a full stack.
    bool is_too_high(char32_t code_point);

private:
    int height_ = 0;
};

/// Returns whether a character of `text` changes how the text around it is drawn: a combining mark, or a letter of a
/// script that is written from right to left.
bool reaches_out(std::string_view text);

}  // namespace postern::util
