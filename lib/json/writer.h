// Writes JSON: compact, members in the order given, always valid UTF-8.
#pragma once

#include <string>

#include "json/value.h"

namespace postern::json {

/// Writes strings as append_json_string (util/text.h) does: invalid UTF-8 is replaced by U+FFFD; `<`, `>`, `&`, U+2028
/// and U+2029 are escaped, so that the text is inert in HTML. A number that JSON cannot say (infinite, not a number) is
/// a programming error and throws std::invalid_argument.
std::string write(const Value& value);
std::string write(const Object& object);
/// Writes with two-space indentation and a newline at the end, for files and terminals.
std::string write_pretty(const Value& value);

}  // namespace postern::json
