// What a command has changed, for the audit log of the serving processes.
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

/// The same for a change without an event of its own: `admin_command` with the command's name.
void note_done(const Invocation& invocation, std::vector<audit::Member> members = {}) noexcept;

/// The user of this machine who runs the command; with `sudo`, who called it.
std::string caller_name();

/// How many grants the command has ended; left out for 0.
inline audit::Member grants_ended(std::int64_t count) {
    return {"grants_ended", count > 0 ? std::to_string(count) : ""};
}

/// The same for a key that was created or deleted.
void note_key(const Invocation& invocation, audit::Event event, const keys::KeyInfo& key) noexcept;

}  // namespace postern::cli
