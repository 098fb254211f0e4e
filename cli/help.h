// The help of the whole command, and shell completion, which asks the program at each press of Tab and so always fits
// the installed version.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"

namespace postern::cli {

/// Sorts the sub-commands, all of which were added before, into groups, and gives the first steps.
void finish_help(const Command& app);

/// The first argument by which the shell asks: `postern --complete WORD...`; the last word, perhaps empty, is at the
/// cursor.
inline constexpr const char* kComplete = "--complete";

/// Returns the commands, or the options when the last of `words` begins with a dash, that begin as it does, sorted. The
/// list is empty for the value of an option, an argument of a command, and words after "--": there the shell completes
/// names of files.
std::vector<std::string> completions(const Command& app, std::vector<std::string> words);

}  // namespace postern::cli
