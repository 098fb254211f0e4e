// Looks for a text in an answer.
#pragma once

#include <string_view>

namespace postern::test {

/// Tells whether the part is anywhere in the text.
inline bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace postern::test
