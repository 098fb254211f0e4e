// The parts of `postern key`.
#pragma once

#include "cli/command.h"

namespace postern::cli {

void add_rotate_command(const Command& group, Invocation& invocation);
void add_retire_command(const Command& group, Invocation& invocation);
void add_repair_command(const Command& group, Invocation& invocation);

/// A note about each private file that has no group of readers: where groups divide the keys, only the operator knows
/// which.
void note_closed_files(const std::string& directory);

}  // namespace postern::cli
