// The parts of `postern key`.
#pragma once

#include "cli/command.h"
#include "util/clock.h"

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

struct FactorRotation {
    bool end_codes = false;  ///< end all recovery codes, so that the former key is worth nothing
    util::Seconds wait{};    ///< for other nodes
};

/// Seals the secrets of all apps with a new key. Until that is done factor.key has the former key as well, so that
/// logins go on. One that was cut off goes on where it was. Throws Refused when another node does not have the new key
/// in time; both keys then stay in use.
void rotate_factors(const Invocation& invocation, const FactorRotation& rotation);

}  // namespace postern::cli
