// The applications that are told when a command ends sessions.
#pragma once

#include "config/config.h"
#include "store/logout_outbox.h"

namespace postern::cli {

/// Returns the notices of a command, which wakes the deliverer by itself (note_told).
store::LogoutNotices logout_notices(const config::Config& config);

/// Prints how many applications will be told, and wakes the unit that runs `postern session deliver`; call it after the
/// commit. Does nothing for an empty set.
void note_told(const config::Config& config, const store::ToldClients& told);

}  // namespace postern::cli
