// The path of a request as web servers and applications may read it: encoded or decoded, with or without dot segments.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "util/result.h"

namespace postern::gate {

/// The reasons to refuse a request target whatever site it is of.
enum class TargetFault {
    no_path,         ///< it does not begin with "/": absolute, or the asterisk of OPTIONS
    too_long,        ///< of more than kMaxTargetBytes
    control,         ///< NUL or another control character, encoded ones included
    broken_percent,  ///< a percent sign without two hexadecimal digits
    above_root,      ///< in some reading, `..` leads above the root
    too_many,        ///< more readings, or longer ones, than are looked at
};
/// Returns the fault as words for the operator.
std::string_view to_string(TargetFault fault);

inline constexpr std::size_t kMaxTargetBytes = 16384;

/// Returns every path that a request for `path` (the target without its query) can be for, each beginning with "/":
/// percent-decoded once, twice or not; `%2f`, `%5c` and `\` as `/` or not; `//` as `/` or not, or as the beginning of a
/// host; the segments `.` and `..` removed or not; what stands behind `;` in a segment, and behind a `?` or `#` that
/// was encoded, as well (GATE-11).
util::Result<std::set<std::string>, TargetFault> readings_of(std::string_view path);

}  // namespace postern::gate
