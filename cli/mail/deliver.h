// Sends the messages that wait. docs/decisions/0080-mail.md
#pragma once

#include <cstdint>

#include "cli/command.h"

namespace postern::cli {

struct Delivered {
    std::int64_t sent = 0;
    std::int64_t failed = 0;   ///< tries, of which another may follow
    std::int64_t dropped = 0;  ///< fitted no user, or too many for one
    bool limited = false;      ///< `mail.perHour` is used up; the others wait
};

/// Sends what is due, until there is nothing more, `mail.perHour` is used up, or a signal has come. Several may run at
/// once: each message is one's alone for a minute at least, and a try takes half of that at most. A message whose
/// sender died between sending it and saying so is sent again.
Delivered deliver_mail(const Invocation& invocation, const config::Config& config, db::Database& database);

}  // namespace postern::cli
