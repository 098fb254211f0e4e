// Decides which session a cookie stands for.
#include "store/sessions.h"

#include "store/authorization_requests.h"
#include "store/columns.h"
#include "store/grants.h"

namespace postern::store {
namespace {

model::Session session_at(const db::Statement& row) {
    model::Session session;
    session.cookie_hash = model::ValueHash(row.text(0));
    session.sid = model::Sid(row.text(1));
    session.subject = model::Subject(row.text(2));
    session.auth_time = time_at(row, 3);
    session.created_at = time_at(row, 4);
    session.last_seen_at = time_at(row, 5);
    session.expires_at = time_at(row, 6);
    return session;
}

}  // namespace

std::optional<model::Session> find_session(db::Database& database, const model::ValueHash& cookie_hash, util::Time now,
                                           util::Time idle_since) {
    auto row = database.prepare(
        "SELECT s.cookie_hash, s.sid, s.subject, s.auth_time, s.created_at, s.last_seen_at, s.expires_at"
        " FROM sessions s JOIN users u ON u.subject = s.subject"
        " WHERE s.cookie_hash = $1 AND s.expires_at > $2 AND s.last_seen_at >= $3 AND u.enabled = 1");
    row.bind(1, cookie_hash.str()).bind(2, util::to_epoch(now)).bind(3, util::to_epoch(idle_since));
    if (!row.step()) return std::nullopt;
    return session_at(row);
}

void insert_session(db::Transaction& transaction, const model::Session& session) {
    transaction.database()
        .prepare(
            "INSERT INTO sessions (cookie_hash, sid, subject, auth_time, created_at, last_seen_at, expires_at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7)")
        .bind(1, session.cookie_hash.str())
        .bind(2, session.sid.str())
        .bind(3, session.subject.str())
        .bind(4, util::to_epoch(session.auth_time))
        .bind(5, util::to_epoch(session.created_at))
        .bind(6, util::to_epoch(session.last_seen_at))
        .bind(7, util::to_epoch(session.expires_at))
        .execute();
}

bool remove_session(db::Transaction& transaction, const model::ValueHash& cookie_hash) {
    return transaction.database()
               .prepare("DELETE FROM sessions WHERE cookie_hash = $1")
               .bind(1, cookie_hash.str())
               .execute() > 0;
}

void remove_session(db::Transaction& transaction, const model::Session& session) {
    transaction.database()
        .prepare("DELETE FROM sessions WHERE subject = $1 AND sid = $2")  // subject: there is an index on it
        .bind(1, session.subject.str())
        .bind(2, session.sid.str())
        .execute();
}

void touch_session(db::Transaction& transaction, const model::ValueHash& cookie_hash, util::Time now) {
    // A clock that was set back does not make a session look idle.
    transaction.database()
        .prepare("UPDATE sessions SET last_seen_at = $2 WHERE cookie_hash = $1 AND last_seen_at < $2")
        .bind(1, cookie_hash.str())
        .bind(2, util::to_epoch(now))
        .execute();
}

std::vector<ListedSession> list_sessions(db::Database& database, util::Time now, util::Time idle_since,
                                         const std::optional<model::Subject>& subject) {
    auto rows = database.prepare(
        "SELECT s.cookie_hash, s.sid, s.subject, s.auth_time, s.created_at, s.last_seen_at, s.expires_at, u.username"
        " FROM sessions s JOIN users u ON u.subject = s.subject"
        " WHERE s.expires_at > $1 AND s.last_seen_at >= $2 AND u.enabled = 1 AND ($3 IS NULL OR s.subject = $3)"
        " ORDER BY s.created_at, s.sid");
    rows.bind(1, util::to_epoch(now)).bind(2, util::to_epoch(idle_since)).bind(3, optional_text(subject));
    std::vector<ListedSession> sessions;
    while (rows.step()) sessions.push_back({session_at(rows), rows.text(7)});
    return sessions;
}

std::vector<model::Subject> subjects_with_sessions(db::Database& database) {
    auto rows = database.prepare(
        "SELECT subject FROM sessions UNION SELECT subject FROM authorization_requests WHERE used = 0");
    std::vector<model::Subject> subjects;
    while (rows.step()) subjects.emplace_back(rows.text(0));
    return subjects;
}

EndedSessions end_sessions(db::Transaction& transaction, const model::Subject& subject, util::Time now) {
    auto& database = transaction.database();
    EndedSessions ended;
    {
        auto sids = database.prepare("SELECT sid FROM sessions WHERE subject = $1");
        sids.bind(1, subject.str());
        while (sids.step()) ended.grants += end_grants_of_session(transaction, model::Sid(sids.text(0)), now);
    }
    ended.sessions = database.prepare("DELETE FROM sessions WHERE subject = $1").bind(1, subject.str()).execute();
    end_open_requests(transaction, subject);
    return ended;
}

}  // namespace postern::store
