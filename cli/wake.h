// Wakes the unit of a command that sends what waits.
#pragma once

#include <string>

namespace postern::cli {

/// Changes the file that a path unit watches, after a commit. When that fails, a note says `otherwise`: the timer finds
/// what waits.
void wake(const std::string& path, const char* otherwise);

}  // namespace postern::cli
