// Which changes of an account does its owner get a message about? (POLICY-5, TOTP-10)
#pragma once

#include <string_view>

#include "crypto/random.h"
#include "db/database.h"
#include "model/activity.h"
#include "util/clock.h"

namespace postern::mail {

/// Returns the sentence of the message; nullptr: no message is sent about this event.
const char* notice_sentence(model::ActivityKind what);

/// Queues a message about a change, for `mail`. The caller does so before the change: the message goes to the address
/// that the user has now. The first message of a sort goes at once. The others of the hour that begins with it are one
/// message, at the end of the hour: a user who makes new codes again and again takes two messages an hour from what
/// `mail.perHour` leaves to all (docs/decisions/0100). Returns false and writes nothing when there is no message about
/// this change, or the user has no address. The caller wakes the command behind the commit.
bool queue_notice(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject,
                  model::ActivityKind what, util::Time now);

/// Counts a message that was asked for in the name of this user: three an hour and ten a day (MAIL-6). Messages that
/// the operator or changes cause are not counted, so that messages that were asked for never keep the owner from being
/// told. The caller holds the user's row, or no counter. Returns false when the limit was reached.
bool may_get_another(db::Transaction& transaction, const model::Subject& subject, util::Time now);

/// Queues a message that a second step has failed behind the right password, in a place that is not known: at most one
/// message a day.
bool queue_guess_notice(db::Transaction& transaction, crypto::Random& random, const model::Subject& subject,
                        util::Time now);

}  // namespace postern::mail
