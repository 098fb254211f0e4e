// Decides which rows can be deleted.
#include "store/sweep.h"

#include "store/deletion.h"
#include "store/device_codes.h"
#include "store/fetched.h"
#include "store/logout_outbox.h"
#include "store/mail_requests.h"

namespace postern::store {
namespace {

/// Which rows of a table may be deleted at $1.
struct Rule {
    const char* table;
    db::Text deletion;         ///< of at most $2 rows, the oldest first, found by an index
    const char* count;         ///< rows that no rule above it has counted
    bool is_optional = false;  ///< of an option: on a server the role may lack the right until the option is on
    bool is_on_server_alone = false;
};

// The grants that are due. Their codes and tokens are deleted first, in batches of their own: a grant of a month may
// have thousands of rotated refresh tokens, and a cascade over all of them would block every writer. Spent codes are
// deleted with their grant and not before, because a replayed code revokes its tokens (RFC 6749 §4.1.2). So are rotated
// refresh tokens, even of a grant that can only be used for minutes more (RFC 9700 §4.14.2).
#define POSTERN_DUE "SELECT id FROM grants WHERE kept_until <= $1 ORDER BY kept_until, id LIMIT $2"

static_assert(kFailedMailRetention.count() == 604800, "as the statements of `mail_requests` have it");
static_assert(kDeviceCodeRetention.count() == 600, "as the statements of `device_codes` have it");
static_assert(kLogoutRetention.count() == 86400, "as the statements of `logout_outbox` have it");
static_assert(kFetchedRetention.count() == 2592000, "as the statements of `fetched` have it");

constexpr Rule kRules[] = {
    {"sessions",
     POSTERN_DELETION("DELETE FROM sessions WHERE cookie_hash IN"
                      " (SELECT cookie_hash FROM sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM sessions WHERE expires_at <= $1"},
    {"authorization_requests",
     POSTERN_DELETION(
         "DELETE FROM authorization_requests WHERE request_key IN"
         " (SELECT request_key FROM authorization_requests WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM authorization_requests WHERE expires_at <= $1"},
    {"login_attempts",
     POSTERN_DELETION("DELETE FROM login_attempts WHERE attempt_key IN"
                      " (SELECT attempt_key FROM login_attempts WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2"),
     "SELECT count(*) FROM login_attempts WHERE ends_at <= $1"},
    {"spent_challenges",
     POSTERN_DELETION("DELETE FROM spent_challenges WHERE challenge_hash IN"
                      " (SELECT challenge_hash FROM spent_challenges WHERE expires_at <= $1"
                      " ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM spent_challenges WHERE expires_at <= $1"},
    {"device_codes",
     POSTERN_DELETION("DELETE FROM device_codes WHERE device_hash IN"
                      " (SELECT device_hash FROM device_codes WHERE expires_at <= CAST($1 AS bigint) - 600"
                      " ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM device_codes WHERE expires_at <= CAST($1 AS bigint) - 600"},
    {"session_clients",
     POSTERN_DELETION("DELETE FROM session_clients WHERE (sid, client_id) IN"
                      " (SELECT sid, client_id FROM session_clients WHERE expires_at <= $1"
                      " ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM session_clients WHERE expires_at <= $1", true},
    // The command gives a row up before; these are what was left when no command ran.
    {"logout_outbox",
     POSTERN_DELETION("DELETE FROM logout_outbox WHERE id IN"
                      " (SELECT id FROM logout_outbox WHERE expires_at <= CAST($1 AS bigint) - 86400"
                      " ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM logout_outbox WHERE expires_at <= CAST($1 AS bigint) - 86400", true},
    {"links",
     POSTERN_DELETION("DELETE FROM links WHERE token_hash IN"
                      " (SELECT token_hash FROM links WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM links WHERE expires_at <= $1"},
    {"remembered_devices",
     POSTERN_DELETION("DELETE FROM remembered_devices WHERE token_hash IN"
                      " (SELECT token_hash FROM remembered_devices WHERE expires_at <= $1"
                      " ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM remembered_devices WHERE expires_at <= $1", true},
    {"registration_tokens",
     POSTERN_DELETION("DELETE FROM registration_tokens WHERE id IN"
                      " (SELECT id FROM registration_tokens WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM registration_tokens WHERE expires_at <= $1"},
    {"activity",
     POSTERN_DELETION("DELETE FROM activity WHERE (subject, number) IN"
                      " (SELECT subject, number FROM activity WHERE at <= CAST($1 AS bigint) - 7776000"
                      " ORDER BY at LIMIT $2"),
     "SELECT count(*) FROM activity WHERE at <= CAST($1 AS bigint) - 7776000"},
    // Those that were given up. The others are the command's.
    {"mail_requests",
     POSTERN_DELETION("DELETE FROM mail_requests WHERE id IN"
                      " (SELECT id FROM mail_requests WHERE failed_at IS NOT NULL"
                      " AND failed_at <= CAST($1 AS bigint) - 604800 ORDER BY failed_at LIMIT $2"),
     "SELECT count(*) FROM mail_requests WHERE failed_at IS NOT NULL AND failed_at <= CAST($1 AS bigint) - 604800",
     true},
    {"fetched",
     POSTERN_DELETION("DELETE FROM fetched WHERE url_digest IN"
                      " (SELECT url_digest FROM fetched WHERE used_at <= CAST($1 AS bigint) - 2592000"
                      " ORDER BY used_at LIMIT $2"),
     "SELECT count(*) FROM fetched WHERE used_at <= CAST($1 AS bigint) - 2592000", true},
    {"fetch_limits",
     POSTERN_DELETION("DELETE FROM fetch_limits WHERE limit_key IN"
                      " (SELECT limit_key FROM fetch_limits WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2"),
     "SELECT count(*) FROM fetch_limits WHERE ends_at <= $1", true},
    {"replays",
     POSTERN_DELETION("DELETE FROM replays WHERE (kind, context, key) IN"
                      " (SELECT kind, context, key FROM replays WHERE expires_at < $1 ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM replays WHERE expires_at < $1", true, true},
    {"client_secrets",
     POSTERN_DELETION("DELETE FROM client_secrets WHERE (client_id, hash) IN"
                      " (SELECT client_id, hash FROM client_secrets WHERE expires_at IS NOT NULL AND expires_at <= $1"
                      " ORDER BY expires_at LIMIT $2"),
     "SELECT count(*) FROM client_secrets WHERE expires_at IS NOT NULL AND expires_at <= $1"},
    // Expired ones are deleted earlier, when their grant gets another. `jti` names the grant, so that an expired token
    // can still end it without a row (RFC 7009 §2.1).
    {"access_tokens",
     POSTERN_DELETION("DELETE FROM access_tokens WHERE (grant_id, issued_at, token_hash) IN"
                      " (SELECT t.grant_id, t.issued_at, t.token_hash"
                      " FROM (" POSTERN_DUE ") g JOIN access_tokens t ON t.grant_id = g.id LIMIT $2"),
     "SELECT count(*) FROM grants g JOIN access_tokens t ON t.grant_id = g.id WHERE g.kept_until <= $1"},
    {"authorization_codes",
     POSTERN_DELETION("DELETE FROM authorization_codes WHERE code_hash IN"
                      " (SELECT t.code_hash FROM (" POSTERN_DUE
                      ") g JOIN authorization_codes t ON t.grant_id = g.id LIMIT $2"),
     "SELECT count(*) FROM grants g JOIN authorization_codes t ON t.grant_id = g.id WHERE g.kept_until <= $1"},
    {"refresh_tokens",
     POSTERN_DELETION("DELETE FROM refresh_tokens WHERE (grant_id, token_hash) IN"
                      " (SELECT t.grant_id, t.token_hash FROM (" POSTERN_DUE
                      ") g JOIN refresh_tokens t ON t.grant_id = g.id LIMIT $2"),
     "SELECT count(*) FROM grants g JOIN refresh_tokens t ON t.grant_id = g.id WHERE g.kept_until <= $1"},
    {"grants",
     POSTERN_DELETION("DELETE FROM grants WHERE id IN (" POSTERN_DUE,
                      " AND NOT EXISTS (SELECT 1 FROM access_tokens t WHERE t.grant_id = grants.id)"
                      " AND NOT EXISTS (SELECT 1 FROM authorization_codes t WHERE t.grant_id = grants.id)"
                      " AND NOT EXISTS (SELECT 1 FROM refresh_tokens t WHERE t.grant_id = grants.id)"),
     "SELECT count(*) FROM grants WHERE kept_until <= $1"},
    // Of documents. A client stays as long as its last grant, because a replayed code is recognised that long.
    {"clients",
     POSTERN_DELETION("DELETE FROM clients WHERE id IN"
                      " (SELECT id FROM clients WHERE removable_at IS NOT NULL AND removable_at <= $1"
                      " AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = clients.id)"
                      " ORDER BY removable_at LIMIT $2"),
     "SELECT count(*) FROM clients WHERE removable_at IS NOT NULL AND removable_at <= $1"
     " AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = clients.id)",
     true},
};

/// A file has no such table: its marks are in files of their own (db/replay_file.h).
bool is_there(db::Database& database, const Rule& rule) { return database.has_row_locks() || !rule.is_on_server_alone; }

bool may_delete(db::Database& database, const char* table) {
    if (!database.has_row_locks()) return true;
    auto row = database.query("SELECT has_table_privilege(CAST($1 AS text), 'DELETE')", std::string_view(table));
    return row.step() && row.integer(0) == 1;
}

}  // namespace

bool may_sweep(db::Database& database) { return may_delete(database, "grants"); }

RowCounts sweep(db::Transaction& transaction, util::Time now, int batch) {
    RowCounts deleted;
    for (const Rule& rule : kRules) {
        if (!is_there(transaction.database(), rule)) continue;
        std::int64_t& count = deleted[rule.table];
        if (rule.is_optional && !may_delete(transaction.database(), rule.table)) continue;
        count += transaction.run(rule.deletion, now, batch);
    }
    return deleted;
}

RowCounts count_sweepable(db::Database& database, util::Time now) {
    RowCounts counts;
    for (const Rule& rule : kRules) {
        if (!is_there(database, rule)) continue;
        auto row = database.query(rule.count, now);
        if (row.step()) counts[rule.table] += row.integer(0);
    }
    return counts;
}

}  // namespace postern::store
