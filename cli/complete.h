// Shell completion of commands and options. The shell calls the program at each press of Tab, so the completion always
// fits the installed version.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace postern::cli {

/// How the shell asks: `postern --complete WORD...`, where the last word is the one at the cursor, perhaps empty.
inline constexpr const char* kComplete = "--complete";

/// Commands, or options when the last of `words` begins with a dash, that begin as it does, sorted. Nothing for the
/// value of an option, an argument of a command, and what follows "--": there the shell completes names of files.
std::vector<std::string> completions(const Command& app, std::vector<std::string> words);

}  // namespace postern::cli
