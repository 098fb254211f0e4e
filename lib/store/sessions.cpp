// Decides which session belongs to a cookie.
#include "store/sessions.h"

#include <map>

#include "store/authorization_requests.h"
#include "store/columns.h"
#include "store/grants.h"
#include "store/logout_outbox.h"
#include "store/users.h"

namespace postern::store {
namespace {

/// The columns of `sessions s`, in the order in which a model::Session is read.
#define POSTERN_SESSION_COLUMNS                                                                                     \
    "s.cookie_hash, s.sid, s.subject, s.auth_time, s.created_at, s.last_seen_at, s.expires_at, s.agent, s.address," \
    " s.level, s.amr, s.remembered"
using store::operator>>;
db::Statement& operator>>(db::Statement& row, model::Session& session) {
    return row >> session.cookie_hash >> session.sid >> session.subject >> session.auth_time >> session.created_at >>
           session.last_seen_at >> session.expires_at >> session.agent >> session.address >> session.how.level >>
           session.how.amr >> session.how.remembered;
}

}  // namespace

std::optional<model::Session> find_session(db::Database& database, const model::ValueHash& cookie_hash,
                                           const SessionLife& life) {
    auto row =
        database.query("SELECT " POSTERN_SESSION_COLUMNS
                       " FROM sessions s JOIN users u ON u.subject = s.subject"
                       " WHERE s.cookie_hash = $1 AND s.expires_at > $2 AND s.last_seen_at >= $3 AND s.created_at > $4"
                       " AND u.enabled = 1",
                       cookie_hash, life.now, life.idle_since, life.begun_after);
    if (!row.step()) return std::nullopt;
    model::Session session;
    row >> session;
    return session;
}

std::optional<model::Session> find_session_of(db::Database& database, const model::Subject& subject,
                                              const model::Sid& sid, const SessionLife& life) {
    auto row = database.query("SELECT " POSTERN_SESSION_COLUMNS
                              " FROM sessions s JOIN users u ON u.subject = s.subject"
                              " WHERE s.subject = $1 AND s.sid = $2 AND s.expires_at > $3 AND s.last_seen_at >= $4"
                              " AND s.created_at > $5 AND u.enabled = 1",
                              subject, sid, life.now, life.idle_since, life.begun_after);
    if (!row.step()) return std::nullopt;
    model::Session session;
    row >> session;
    return session;
}

void insert_session(db::Transaction& transaction, const model::Session& session) {
    transaction.queue(
        "INSERT INTO sessions (cookie_hash, sid, subject, auth_time, created_at, last_seen_at, expires_at, agent,"
        " address, level, amr, remembered) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        session.cookie_hash, session.sid, session.subject, session.auth_time, session.created_at, session.last_seen_at,
        session.expires_at, session.agent, session.address, static_cast<std::int64_t>(session.how.level),
        session.how.amr, session.how.remembered);
    transaction.mark("SELECT 1 FROM sessions WHERE cookie_hash = $1", session.cookie_hash);
}

bool delete_session_row(db::Transaction& transaction, const model::ValueHash& cookie_hash) {
    return transaction.run("DELETE FROM sessions WHERE cookie_hash = $1", cookie_hash) > 0;
}

bool has_session_row(db::Database& database, const model::ValueHash& cookie_hash) {
    return database.query("SELECT 1 FROM sessions WHERE cookie_hash = $1", cookie_hash).step();
}

void remove_session(db::Transaction& transaction, const model::Session& session, util::Time now,
                    const LogoutNotices& notices) {
    lock_user(transaction, session.subject);
    tell_of_logout(transaction, notices, session.subject, {.only = session.sid}, now);
    // By subject too, because there is an index on it.
    transaction.queue("DELETE FROM sessions WHERE subject = $1 AND sid = $2", session.subject, session.sid);
}

void touch_session(db::Transaction& transaction, const model::ValueHash& cookie_hash, util::Time now) {
    // A clock that was set back does not make a session look idle.
    transaction.queue("UPDATE sessions SET last_seen_at = $2 WHERE cookie_hash = $1 AND last_seen_at < $2", cookie_hash,
                      now);
}

db::Rows<ListedSession> list_sessions(db::Database& database, const SessionLife& life,
                                      const std::optional<model::Subject>& subject, db::Limit limit) {
    constexpr const char* kSessions =
        "SELECT " POSTERN_SESSION_COLUMNS
        ", u.username"
        " FROM sessions s JOIN users u ON u.subject = s.subject"
        " WHERE s.expires_at > $1 AND s.last_seen_at >= $2 AND u.enabled = 1 AND ($3 IS NULL OR s.subject = $3)"
        " AND s.created_at > $4 ORDER BY s.created_at, s.sid LIMIT $5";
    return {database.list(kSessions, life.now, life.idle_since, subject, life.begun_after, limit.rows),
            [](db::Statement& row, ListedSession& listed) { row >> listed.session >> listed.username; }};
}

std::vector<model::Session> sessions_of(db::Database& database, const model::Subject& subject, const SessionLife& life,
                                        db::Limit limit) {
    auto rows =
        database.query("SELECT " POSTERN_SESSION_COLUMNS
                       " FROM sessions s JOIN users u ON u.subject = s.subject"
                       " WHERE s.subject = $1 AND s.expires_at > $2 AND s.last_seen_at >= $3 AND s.created_at > $4"
                       " AND u.enabled = 1 ORDER BY s.last_seen_at DESC, s.sid LIMIT $5",
                       subject, life.now, life.idle_since, life.begun_after, limit.rows);
    std::vector<model::Session> sessions;
    while (rows.step()) rows >> sessions.emplace_back();
    return sessions;
}

std::int64_t count_sessions_of(db::Database& database, const model::Subject& subject, const SessionLife& life) {
    return number_of(database.query(
        "SELECT count(*) FROM sessions s JOIN users u ON u.subject = s.subject"
        " WHERE s.subject = $1 AND s.expires_at > $2 AND s.last_seen_at >= $3 AND s.created_at > $4 AND u.enabled = 1",
        subject, life.now, life.idle_since, life.begun_after));
}

#define POSTERN_SURPLUS                               \
    " FROM sessions WHERE subject = $1 AND sid <> $2" \
    " ORDER BY last_seen_at DESC, sid LIMIT $3 OFFSET $4"

void end_surplus_sessions(db::Transaction& transaction, const model::Session& begun, const LogoutNotices& notices) {
    if (notices.has_clients)
        for (const model::Sid& sid : values_of<model::Sid>(transaction.database().query(
                 "SELECT sid" POSTERN_SURPLUS, begun.subject, begun.sid, kSurplusBatch, kMaxSessions - 1)))
            tell_of_logout(transaction, notices, begun.subject, {.only = sid}, begun.created_at);
    transaction.queue("DELETE FROM sessions WHERE cookie_hash IN (SELECT cookie_hash" POSTERN_SURPLUS ")",
                      begun.subject, begun.sid, kSurplusBatch, kMaxSessions - 1);
}

std::vector<model::Subject> subjects_with_sessions(db::Database& database) {
    return values_of<model::Subject>(
        database.query("SELECT subject FROM sessions UNION SELECT subject FROM authorization_requests WHERE used = 0"
                       " UNION SELECT subject FROM remembered_devices"));
}

EndedSessions end_sessions(db::Transaction& transaction, const model::Subject& subject, util::Time now,
                           const LogoutNotices& notices, const model::Sid& keep) {
    lock_user(transaction, subject);
    std::map<model::Sid, std::int64_t> grants = end_grants_of_sessions(transaction, subject, now, keep);
    EndedSessions all;
    all.told = tell_of_logout(transaction, notices, subject, {.keep = keep}, now);
    std::vector<EndedSession>& ended = all.sessions;
    {
        auto row = transaction.database().query("DELETE FROM sessions WHERE subject = $1 AND sid <> $2 RETURNING sid",
                                                subject, keep);
        while (row.step()) row >> ended.emplace_back().sid;
    }
    for (EndedSession& each : ended) each.grants = grants[each.sid];
    end_open_requests(transaction, subject);
    return all;
}

std::optional<std::int64_t> end_session(db::Transaction& transaction, const model::Subject& subject,
                                        const model::Sid& sid, util::Time now, const LogoutNotices& notices) {
    lock_user(transaction, subject);
    tell_of_logout(transaction, notices, subject, {.only = sid}, now);
    if (transaction.run("DELETE FROM sessions WHERE subject = $1 AND sid = $2", subject, sid) == 0) return std::nullopt;
    end_open_requests(transaction, subject);
    return end_grants_of_session(transaction, sid, now);
}

}  // namespace postern::store
