// Writes the changes of a command into the audit log of the serving processes.
#pragma once

#include <string>
#include <vector>

#include "audit/trail.h"
#include "cli/command.h"
#include "keys/keys.h"

namespace postern::cli {

/// Writes a line for a change that has just been committed: to the log file of the configuration, or else to syslog,
/// because standard error is the terminal. If the log cannot be written the caller gets a note; the command still
/// succeeds, because the change is made.
void note(const Invocation& invocation, audit::Event event, std::vector<audit::Member> members) noexcept;

/// Writes a line for a change without an event of its own: `admin_command` with the command's name.
void note_done(const Invocation& invocation, std::vector<audit::Member> members = {}) noexcept;

/// Returns the user of this machine who runs the command, or who called `sudo`.
std::string caller_name();

/// Returns the member with the number of grants that the command has ended; it is left out for 0.
inline audit::Member grants_ended(std::int64_t count) {
    return {"grants_ended", count > 0 ? std::to_string(count) : ""};
}

/// Writes a line for a key that was created or deleted.
void note_key(const Invocation& invocation, audit::Event event, const keys::KeyInfo& key) noexcept;

}  // namespace postern::cli
