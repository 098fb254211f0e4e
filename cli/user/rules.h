// What may be the name of a user.
#pragma once

#include <string>

namespace postern::cli {

/// Throws Refused for a name that could not be typed at login or does not look like what it is.
void require_username(const std::string& name);

}  // namespace postern::cli
