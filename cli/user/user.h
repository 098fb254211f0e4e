// The parts of `postern user`: sub-commands, the password of a user (PASSWORD-4) and the lines of the activity.
#pragma once

#include <string>

#include "cli/command.h"
#include "db/database.h"
#include "json/value.h"
#include "model/activity.h"
#include "oauth/settings.h"
#include "store/passkeys.h"
#include "store/users.h"
#include "util/secret.h"

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

struct PasswordOptions {
    bool from_stdin = false;
    bool weak = false;
    bool must_change = false;
};

/// --password-stdin, --weak and --must-change.
void add_password_options(const Command& command, PasswordOptions& options);

store::MustChange must_change(const PasswordOptions& options);
/// Throws Refused for --must-change where there is no page on which the user could change it.
void require_page_for(const oauth::Settings& settings, const PasswordOptions& options);

/// Throws Refused for a password that pages would not take either, unless `weak`. Returns what `weak` has overridden,
/// for the audit log; "": nothing.
std::string judge_password(const oauth::Settings& settings, const util::Secret& password, const std::string& username,
                           const json::Object& claims, bool weak);

}  // namespace postern::cli
