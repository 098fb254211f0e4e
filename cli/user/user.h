// The parts of `postern user`, and the lines that the command adds to a user's activity.
#pragma once

#include <string>

#include "cli/command.h"
#include "db/database.h"
#include "model/activity.h"
#include "oauth/settings.h"
#include "store/passkeys.h"

namespace postern::cli {

void add_user_add_command(const Command& group, Invocation& invocation);
void add_user_factors_command(const Command& group, Invocation& invocation);
void add_user_import_command(const Command& group, Invocation& invocation);
void add_user_invite_command(const Command& group, Invocation& invocation);
void add_user_reset_link_command(const Command& group, Invocation& invocation);
void add_user_passkeys_command(const Command& group, Invocation& invocation);
void add_user_activity_command(const Command& group, Invocation& invocation);

/// Writes the audit line of a passkey that the operator has removed.
void note_removed(const Invocation& invocation, const store::Passkey& passkey);

/// Adds a line to the activity of `subject`, by the operator and in the transaction of the change, unless there are no
/// pages of the account. It takes the lock of the user's row. With `mail`, also queues the notice that mail/notice.h
/// has for it: the caller calls wake_deliverer after the commit.
void note_activity(const oauth::Settings& settings, db::Transaction& transaction, const model::Subject& subject,
                   model::ActivityKind what, std::string detail = {});

}  // namespace postern::cli
