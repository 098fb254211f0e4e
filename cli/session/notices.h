// The applications that are told when a command ends sessions.
#pragma once

#include "config/config.h"
#include "store/logout_outbox.h"

namespace postern::cli {

/// Returns how a command tells applications that a session has ended.
store::LogoutNotices logout_notices(const config::Config& config);

/// Says how many applications will be told, and wakes the unit that runs `postern session deliver`, after a commit. Has
/// no effect for none.
void note_told(const config::Config& config, const store::ToldClients& told);

}  // namespace postern::cli
