// Sends the logout tokens that wait. docs/decisions/0130-back-channel-logout.md
#pragma once

#include <cstdint>

#include "cli/command.h"

namespace postern::cli {

struct DeliveredLogouts {
    std::int64_t sent = 0;
    std::int64_t failed = 0;   ///< tries, of which another may follow
    std::int64_t dropped = 0;  ///< the client or its address is gone
};

/// Sends what is due, for 50 s at most, until there is nothing more or a signal has come. Several may run at
/// once: each row is one's alone for a minute. A row whose sender died between sending it and saying so is sent again,
/// with the same `jti`.
DeliveredLogouts deliver_logouts(const Invocation& invocation, const config::Config& config, db::Database& database);

}  // namespace postern::cli
