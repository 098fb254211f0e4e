// Tells the owner of an account what happens to it: lines of the page of the activity, and messages.
#pragma once

#include <string>

#include "db/database.h"
#include "login/browser.h"
#include "model/activity.h"
#include "oauth/context.h"

namespace postern::login {

/// Writes a line for `subject`, of this browser, in the transaction of the change, which holds the user's row
/// (store::lock_user); none without pages of the account. With `mail`, also queues a message where mail/notice.h has
/// one; the same transaction must not have changed claims before.
void note_activity(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                   const model::Subject& subject, model::ActivityKind what, std::string detail = {});

/// Writes that a right password came without a right second step; `is_place_known` as codes are counted (TOTP-9). At
/// most one line a day of each sort: a guesser who has the password does not push the other lines out. Takes the lock
/// itself. With `mail`, queues a message from a place that is not known.
void note_failed_step(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                      const model::Subject& subject, bool is_place_known);

}  // namespace postern::login
