// Who may use a client, and what ends with that right?
#include "store/client_access.h"

#include "store/columns.h"

namespace postern::store {
namespace {

using model::ClientId;
using model::Subject;

/// True where the user `subject` may use the client of the row `c` of `clients`.
#define POSTERN_MAY_USE(subject)                                                                      \
    "(c.restricted = 0"                                                                               \
    " OR EXISTS (SELECT 1 FROM allowed_users a WHERE a.client_id = c.id AND a.subject = " subject     \
    ") OR EXISTS (SELECT 1 FROM group_members m JOIN allowed_groups a ON a.group_name = m.group_name" \
    " WHERE m.subject = " subject " AND a.client_id = c.id))"

#define POSTERN_END_WITHOUT_ACCESS(whose)                               \
    "UPDATE grants SET ended_at = $2, kept_until = $2 WHERE " whose     \
    " = $1 AND subject IS NOT NULL AND ended_at IS NULL AND NOT EXISTS" \
    " (SELECT 1 FROM clients c WHERE c.id = grants.client_id AND " POSTERN_MAY_USE("grants.subject") ")"

constexpr const char* kEndOfClient = POSTERN_END_WITHOUT_ACCESS("client_id");
constexpr const char* kEndOfUser = POSTERN_END_WITHOUT_ACCESS("subject");

/// Waits for lock_access of another transaction, and lets a later one wait. It locks no row, because every
/// sign-in to a client would write to the same few, and wait in a ring with the command that removes the client.
void share_access(db::Transaction& transaction) {
    transaction.lock("SELECT 1 FROM allowed_users, allowed_groups WHERE FALSE FOR SHARE");
}

}  // namespace

bool may_use(db::Database& database, const ClientId& client, const Subject& subject) {
    return database.query("SELECT 1 FROM clients c WHERE c.id = $1 AND " POSTERN_MAY_USE("$2"), client, subject).step();
}

Standing find_standing(db::Transaction& transaction, const model::Session& session, const ClientId& client,
                       const SessionLife& life) {
    share_access(transaction);
    auto row = transaction.database().query(
        "SELECT c.enabled = 1 AND " POSTERN_MAY_USE("s.subject") " FROM sessions s JOIN users u ON u.subject = s.subject"
        " JOIN clients c ON c.id = $2 WHERE s.cookie_hash = $1 AND s.expires_at > $3 AND s.last_seen_at >= $4"
        " AND s.created_at > $5 AND u.enabled = 1",
        session.cookie_hash, client, life.now, life.idle_since, life.begun_after);
    if (!row.step()) return Standing::session_ended;
    bool may_use = false;
    row >> may_use;
    return may_use ? Standing::good : Standing::may_not_use;
}

void lock_access(db::Transaction& transaction) {
    // FOR SHARE takes a lock of the tables that waits for this one. Other readers do not wait.
    transaction.lock("LOCK TABLE allowed_users, allowed_groups IN EXCLUSIVE MODE");
}

std::int64_t end_grants_without_access(db::Transaction& transaction, const ClientId& client, util::Time now) {
    return transaction.run(kEndOfClient, client, now);
}

std::int64_t end_grants_without_access(db::Transaction& transaction, const Subject& subject, util::Time now) {
    // Else it and a transaction that takes the user off a list could each see that the other way to the client is left.
    share_access(transaction);
    return transaction.run(kEndOfUser, subject, now);
}

ClientAccess find_client_access(db::Database& database, const ClientId& client) {
    return {values_of<std::string>(database.query(
                "SELECT group_name FROM allowed_groups WHERE client_id = $1 ORDER BY group_name", client)),
            values_of<std::string>(
                database.query("SELECT u.username FROM allowed_users a JOIN users u ON u.subject = a.subject"
                               " WHERE a.client_id = $1 ORDER BY u.username",
                               client))};
}

void allow_group(db::Transaction& transaction, const ClientId& client, std::string_view group) {
    transaction.run("INSERT INTO allowed_groups (client_id, group_name) VALUES ($1, $2) ON CONFLICT DO NOTHING", client,
                    group);
}

void allow_user(db::Transaction& transaction, const ClientId& client, const Subject& subject) {
    transaction.run("INSERT INTO allowed_users (client_id, subject) VALUES ($1, $2) ON CONFLICT DO NOTHING", client,
                    subject);
}

bool disallow_group(db::Transaction& transaction, const ClientId& client, std::string_view group) {
    return transaction.run("DELETE FROM allowed_groups WHERE client_id = $1 AND group_name = $2", client, group) == 1;
}

bool disallow_user(db::Transaction& transaction, const ClientId& client, const Subject& subject) {
    return transaction.run("DELETE FROM allowed_users WHERE client_id = $1 AND subject = $2", client, subject) == 1;
}

void forget_access(db::Transaction& transaction, const ClientId& client) {
    transaction.run("DELETE FROM allowed_groups WHERE client_id = $1", client);
    transaction.run("DELETE FROM allowed_users WHERE client_id = $1", client);
}

std::vector<ClientId> clients_allowing(db::Database& database, std::string_view group) {
    return values_of<ClientId>(
        database.query("SELECT client_id FROM allowed_groups WHERE group_name = $1 ORDER BY client_id", group));
}

std::vector<ClientId> unusable_clients(db::Database& database) {
    return values_of<ClientId>(
        database.query("SELECT c.id FROM clients c WHERE c.restricted = 1"
                       " AND NOT EXISTS (SELECT 1 FROM allowed_groups a WHERE a.client_id = c.id)"
                       " AND NOT EXISTS (SELECT 1 FROM allowed_users a WHERE a.client_id = c.id) ORDER BY c.id"));
}

}  // namespace postern::store
