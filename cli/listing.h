// How one thing is shown: the same fields as JSON for programs and as lines for people.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json/value.h"
#include "util/clock.h"

namespace postern::cli {

struct Field {
    std::string member;  ///< in JSON; "": for people only
    std::string label;   ///< for people; "": in JSON only
    json::Value value = {};
    std::optional<std::string> text = {};  ///< in place of what the value says by itself; "" leaves the line out
};

using Listing = std::vector<Field>;

/// A field with a time: seconds since 1970 for programs, null without one.
Field time_field(const char* member, const char* label, const std::optional<util::Time>& time);

json::Object members_of(const Listing& listing);

/// Prints "label  value" lines: yes and no, the words of a list with blanks between them, nothing for null.
void print_lines(const Listing& listing);

}  // namespace postern::cli
