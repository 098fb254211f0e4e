// `postern user activity`: what has happened to a user's account of late, and the lines that the command itself adds.
#pragma once

#include <string>

#include "cli/command.h"
#include "db/database.h"
#include "model/activity.h"
#include "oauth/settings.h"

namespace postern::cli {

void add_user_activity_command(const Command& group, Invocation& invocation);

/// One more line for `subject`, by the operator, in the transaction of what has happened. It takes the lock of the
/// user's row. Nothing where there are no pages of the account. With `mail`, also a message where oauth/mail_notice.h
/// has one: the caller wakes the command that sends it (cli/mail/queue.h) behind the commit.
void note_activity(const oauth::Settings& settings, db::Transaction& transaction, const model::Subject& subject,
                   model::Happened what, std::string detail = {});

}  // namespace postern::cli
