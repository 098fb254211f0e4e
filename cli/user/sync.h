// `postern user import --sync SOURCE`: the users of a source are those of a file.
#pragma once

#include "cli/command.h"
#include "cli/user/import_user.h"

namespace postern::cli {

/// Throws UsageError for a name or a percentage that is none, Refused when a line or the number of users to be disabled
/// forbids it: then nothing was changed. A run that breaks off later has done a part, and the next one does the rest.
void sync_users(const Invocation& invocation, const ImportOptions& options);

/// Throws Refused unless `name` is 1 to 64 of the characters of group names, the first of them no dash.
void require_source_name(const std::string& name);

}  // namespace postern::cli
