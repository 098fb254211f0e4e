// Sends the logout tokens in the outbox. docs/decisions/0130-back-channel-logout.md
#pragma once

#include <cstdint>

#include "cli/command.h"

namespace postern::cli {

struct DeliveredLogouts {
    std::int64_t sent = 0;
    std::int64_t failed = 0;   ///< tries, of which another may follow
    std::int64_t dropped = 0;  ///< the client or its address is gone
};

/// Sends the logout tokens that are due, for 50 s at most, until none is left or a signal arrives. Several processes
/// may run at once: a row belongs to the one that claimed it for a minute. When a process dies after sending a token
/// and before removing its row, the token is sent again with the same `jti`.
DeliveredLogouts deliver_logouts(const Invocation& invocation, const config::Config& config, db::Database& database);

}  // namespace postern::cli
