// Which changes of an account does its owner get a message about? (POLICY-5, TOTP-10)
#pragma once

#include <string_view>

#include "crypto/random.h"
#include "db/database.h"
#include "model/activity.h"
#include "util/clock.h"

namespace postern::mail {

/// The sentence of the message; nullptr: there is none about this.
const char* notice_sentence(model::ActivityKind what);

/// For `mail`, and before the change: the message goes to the address that the user has now. The first of a sort goes
/// at once. The others of the hour that begins with it are one message, at its end: a user who makes new codes again
/// and again takes two messages an hour from what `mail.perHour` leaves to all (docs/decisions/0100). False, and
/// nothing is written: there is no message about this, or the user has no address. The caller wakes the command behind
/// the commit.
bool queue_notice(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject,
                  model::ActivityKind what, util::Time now);

/// Counts a message that was asked for in the name of this user: three an hour and ten a day (MAIL-6). What the
/// operator and changes cause is not counted, so that nothing that is asked for keeps the owner from being told. The
/// caller holds the user's row, or no counter. False: there were enough.
bool may_get_another(db::Transaction& transaction, const model::Subject& subject, util::Time now);

/// A second step has failed behind the right password, in a place that is not known: at most one message a day.
bool queue_guess_notice(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject,
                        util::Time now);

}  // namespace postern::mail
