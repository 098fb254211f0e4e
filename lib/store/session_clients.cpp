// Decides which clients are told of the end of a session.
#include "store/session_clients.h"

#include "store/client_values.h"
#include "store/columns.h"
#include "store/users.h"

namespace postern::store {

bool note_session_client(db::Transaction& transaction, const model::Subject& subject, const model::Sid& sid,
                         const model::ClientId& client, util::Time now) {
    lock_user(transaction, subject);
    return transaction.run(
               "INSERT INTO session_clients (sid, client_id, last_token_at, expires_at)"
               " SELECT s.sid, CAST($3 AS text), CAST($4 AS bigint), s.expires_at FROM sessions s"
               " WHERE s.subject = $1 AND s.sid = $2"
               " ON CONFLICT (sid, client_id) DO UPDATE SET last_token_at = excluded.last_token_at,"
               " expires_at = excluded.expires_at",
               subject, sid, client, now) > 0;
}

bool is_session_stored(db::Database& database, const model::Subject& subject, const model::Sid& sid) {
    return database.query("SELECT 1 FROM sessions WHERE subject = $1 AND sid = $2", subject, sid).step();
}

void keep_session_clients(db::Transaction& transaction, const model::Session& session) {
    transaction.queue("UPDATE session_clients SET expires_at = $2 WHERE sid = $1", session.sid, session.expires_at);
}

std::vector<SessionClient> clients_of_session(db::Database& database, const model::Sid& sid, db::Limit limit) {
    auto row = database.query(
        "SELECT n.client_id, " POSTERN_CLIENT_STATE_COLUMNS
        ", c.details, n.last_token_at FROM session_clients n"
        " JOIN clients c ON c.id = n.client_id WHERE n.sid = $1 ORDER BY n.last_token_at DESC, n.client_id LIMIT $2",
        sid, limit.rows);
    std::vector<SessionClient> clients;
    while (row.step()) {
        SessionClient& client = clients.emplace_back();
        std::string details;
        row >> client.client_id >> client.state >> details >> client.last_token_at;
        client.logout = read_logout_uris(details);
    }
    return clients;
}

}  // namespace postern::store
