// What the other commands do for mail: they ask for a message, and wake the command that sends.
#pragma once

#include <string>

#include "cli/command.h"
#include "model/activity.h"
#include "model/mail.h"
#include "model/user.h"

namespace postern::cli {

/// Throws Refused without `mail` in the configuration, or when no mail can be sent to the user.
void require_mail(const oauth::Settings& settings);
void require_mail_address(const model::User& user);

/// A message with a link of the operator, in the transaction that has the user.
void queue_link(db::Transaction& transaction, const model::User& user, model::MailKind kind, util::Seconds lifetime);

/// A message about a change, before the change and in its transaction; nothing without `mail`.
void queue_notice(const oauth::Settings& settings, db::Transaction& transaction, const model::Subject& subject,
                  model::Happened what);

/// Behind a commit: `postern mail deliver` is started where a unit waits for it. Nothing without `mail`.
void wake_deliverer(const config::Config& config);

}  // namespace postern::cli
