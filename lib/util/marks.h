// Characters that act beyond their own place in a line.
#pragma once

#include <string_view>

namespace postern::util {

/// Whether it is drawn on the character before it: Unicode's general categories Mn and Me.
bool is_combining_mark(char32_t code_point);

/// Counts the combining marks on one character. Fonts put each above or below the one before, so that a stack of them
/// covers the lines around it. Names in use need at most four: in Vietnamese two, in Arabic, Hebrew with its points and
/// Thai up to three, in Burmese four.
class MarkStack {
public:
    /// Whether `code_point`, which follows those that were asked about before, is a mark on top of a full stack.
    bool is_too_high(char32_t code_point);

private:
    int height_ = 0;
};

/// Whether something in `text` can change how the text around it is drawn: a combining mark, or a letter of a script
/// that is written from right to left.
bool reaches_out(std::string_view text);

}  // namespace postern::util
