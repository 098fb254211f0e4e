// Wakes the unit of a command that sends mail or logout tokens.
#pragma once

#include <string>

namespace postern::cli {

/// Changes the file that a path unit watches, after a commit. When that fails, the command prints `otherwise` as a
/// note, and the timer starts the unit.
void wake(const std::string& path, const char* otherwise);

}  // namespace postern::cli
