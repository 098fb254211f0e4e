// Marks the texts that people read.
#pragma once

namespace postern::util {

/// A text of the catalogues: what is collected into po/postern.pot. Values are {placeholders}.
constexpr const char* tr(const char* english) { return english; }

}  // namespace postern::util
