// The note that a client has an ID token of a session, kept for clients that are told of the session's end (OpenID
// Connect Back-Channel Logout 1.0 §2.3).
#pragma once

#include "db/database.h"
#include "model/client.h"
#include "model/grant.h"
#include "oauth/context.h"
#include "oauth/settings.h"
#include "store/logout_outbox.h"

namespace postern::oauth {

/// Decides whether the transaction that records an ID token makes the note.
enum class SessionNote { none, wanted };

/// Returns `wanted` for a client that is told of logouts, when the grant belongs to a session of a browser.
SessionNote session_note_of(const Settings& settings, const model::Client& client, const model::Grant& grant);

/// Locks the user for make_session_note; call it before the transaction locks the grant. Does nothing for
/// SessionNote::none.
void lock_session(db::Transaction& transaction, SessionNote note, const model::Grant& grant);
/// Makes the note. False: the session has ended, and the transaction must not issue an ID token with its `sid`. True,
/// and nothing is written, for SessionNote::none.
[[nodiscard]] bool make_session_note(db::Transaction& transaction, SessionNote note, const model::Grant& grant,
                                     util::Time now);

/// Returns the notices of a serving process.
store::LogoutNotices logout_notices(const Context& context);
/// Returns the notices for these settings. nullptr for `wake`: the caller wakes the deliverer.
store::LogoutNotices logout_notices(const Settings& settings, crypto::Random& random, os::WakeFile* wake = nullptr);

}  // namespace postern::oauth
