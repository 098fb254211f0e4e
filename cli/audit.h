// What a command has changed, for the audit log of the serving processes.
#pragma once

#include <vector>

#include "cli/command.h"
#include "keys/keys.h"
#include "oauth/audit.h"

namespace postern::cli {

/// A line for what has just been committed. It goes where the configuration sends the log of the processes, when that
/// is a file; else to syslog, since standard error is the terminal's. A log that cannot be written is told to whoever
/// typed the command and refuses nothing: what was done is done.
void note(const Invocation& invocation, oauth::AuditEvent event, std::vector<oauth::audit::Member> members) noexcept;

/// The same, for what has no event of its own: `admin_command` with the command's name.
void note_done(const Invocation& invocation, std::vector<oauth::audit::Member> members = {}) noexcept;

/// A key that has come, or has gone.
void note_key(const Invocation& invocation, oauth::AuditEvent event, const keys::KeyInfo& key) noexcept;

}  // namespace postern::cli
