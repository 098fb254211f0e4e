// Tells the owner of an account what happens to it: lines of the page of the activity.
#pragma once

#include <string>

#include "db/database.h"
#include "login/browser.h"
#include "model/activity.h"
#include "oauth/context.h"

namespace postern::login {

/// One more line for `subject`, of this browser, in the transaction of what has happened: it holds the user's row
/// (store::lock_user). Nothing where there are no pages of the account. With `mail`, also a message to the user where
/// oauth/mail_notice.h has one; claims are not changed before in the same transaction.
void note_activity(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                   const model::Subject& subject, model::Happened what, std::string detail = {});

/// A right password without a right second step; `is_place_known` as codes are counted (TOTP-9). At most one line a day
/// of each sort: a guesser who has the password does not push the other lines out. Takes the lock itself. With `mail`,
/// a message from a place that is not known.
void note_failed_step(const oauth::Context& context, db::Transaction& transaction, const Browser& browser,
                      const model::Subject& subject, bool is_place_known);

}  // namespace postern::login
