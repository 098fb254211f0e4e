// A group of users.
#pragma once

#include <string>
#include <string_view>

#include "util/clock.h"

namespace postern::model {

/// The scope that releases the claim of that name: an array with the names of the user's groups.
inline constexpr const char* kGroups = "groups";

struct Group {
    std::string name;
    std::string description;  ///< displayable text, or ""
    util::Time created_at{};
};

/// 1 to 64 of A-Z a-z 0-9 . _ -: applications compare names byte by byte, and separate them by commas, blanks and
/// slashes.
bool is_group_name(std::string_view name);
/// Accepts the name of a group that is made now: the first character is no dash, because the command line would take it
/// for an option.
bool is_new_group_name(std::string_view name);

}  // namespace postern::model
