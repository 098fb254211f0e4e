// Mail: the other commands ask for messages, and one command sends them. docs/decisions/0080-mail.md
#pragma once

#include <cstdint>

#include "cli/command.h"
#include "model/activity.h"
#include "model/mail.h"
#include "model/user.h"

namespace postern::cli {

/// Throws Refused without `mail` in the configuration, or when no mail can be sent to the user.
void require_mail(const oauth::Settings& settings);
void require_mail_address(const model::User& user);

/// Queues a message with a link of the operator, in the transaction that has the user.
void queue_link(db::Transaction& transaction, const model::User& user, model::MailKind kind, util::Seconds lifetime);

/// Queues a message about a change, before the change and in its transaction. Has no effect without `mail`.
void queue_notice(const oauth::Settings& settings, db::Transaction& transaction, const model::Subject& subject,
                  model::ActivityKind what);

/// Wakes the unit that runs `postern mail deliver`, after a commit. Has no effect without `mail`.
void wake_deliverer(const config::Config& config);

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
