// Table `session_clients`: clients that have an ID token of a session and are told of its end.
#pragma once

#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/client.h"
#include "model/session.h"

namespace postern::store {

/// A client that has an ID token of a session, with the addresses that it is registered for now.
struct SessionClient {
    model::ClientId client_id;
    model::ClientState state;
    model::LogoutUris logout;
    util::Time last_token_at{};
};

/// Notes that the client gets an ID token of the session now, in the transaction that records its tokens. False: the
/// session is gone, and nothing is noted. Locks the user, whose sessions end behind the same lock: call it, or
/// lock_user, before the transaction locks a grant.
bool note_session_client(db::Transaction& transaction, const model::Subject& subject, const model::Sid& sid,
                         const model::ClientId& client, util::Time now);
/// Returns true if the session is stored. For an ID token that is signed before the transaction that records it.
bool is_session_stored(db::Database& database, const model::Subject& subject, const model::Sid& sid);

/// Prolongs the session's rows to the lifetime of the session, after a new login has prolonged it. Queued.
void keep_session_clients(db::Transaction& transaction, const model::Session& session);

/// Returns the clients of the session, the one with the latest ID token first.
std::vector<SessionClient> clients_of_session(db::Database& database, const model::Sid& sid, db::Limit limit = {});

}  // namespace postern::store
