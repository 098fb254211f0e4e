// The help of the whole command: commands grouped by purpose, and the first steps.
#pragma once

#include "cli/command_line.h"

namespace postern::cli {

/// After all sub-commands were added: sorts them into groups, and gives the first steps.
void finish_help(const Command& app);

}  // namespace postern::cli
