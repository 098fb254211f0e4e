// The parts of `postern key`.
#pragma once

#include "cli/command.h"

namespace postern::cli {

void add_rotate_command(const Command& group, Invocation& invocation);
void add_retire_command(const Command& group, Invocation& invocation);
void add_repair_command(const Command& group, Invocation& invocation);
void add_share_command(const Command& group, Invocation& invocation);
void add_sync_command(const Command& group, Invocation& invocation);
void add_nodes_command(const Command& group, Invocation& invocation);

/// Prints a note for each private file that no group can read: if groups divide the keys, only the operator knows the
/// right group.
void note_closed_files(const std::string& directory);

}  // namespace postern::cli
