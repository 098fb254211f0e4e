// Table `sessions`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/session.h"
#include "store/bounds.h"
#include "store/logout_outbox.h"

namespace postern::store {

/// The sessions that count at a time.
struct SessionLife {
    util::Time now;                              ///< before their expiry
    util::Time idle_since;                       ///< used then or later
    util::Time begun_after = util::Time::min();  ///< for a lifetime that was lowered after they began
};

/// Finds a session only when it counts and its user is enabled.
std::optional<model::Session> find_session(db::Database& database, const model::ValueHash& cookie_hash,
                                           const SessionLife& life);
/// Finds a session of a user by `sid`, only when it counts and the user is enabled.
std::optional<model::Session> find_session_of(db::Database& database, const model::Subject& subject,
                                              const model::Sid& sid, const SessionLife& life);
void insert_session(db::Transaction& transaction, const model::Session& session);
/// Deletes the row; false when there was none. Nobody is told: the caller keeps its `sid`, or tells its clients before.
bool delete_session_row(db::Transaction& transaction, const model::ValueHash& cookie_hash);
/// Returns true if a row has that cookie value, expired or not.
bool has_session_row(db::Database& database, const model::ValueHash& cookie_hash);
/// Removes the session by `sid`, because a login of the same user may have changed the cookie value meanwhile.
void remove_session(db::Transaction& transaction, const model::Session& session, util::Time now,
                    const LogoutNotices& notices);
void touch_session(db::Transaction& transaction, const model::ValueHash& cookie_hash, util::Time now);

struct ListedSession {
    model::Session session;
    std::string username;
};
/// Returns the sessions that find_session would find, the oldest first; of one user when named.
db::Rows<ListedSession> list_sessions(db::Database& database, const SessionLife& life,
                                      const std::optional<model::Subject>& subject, db::Limit limit = {});

/// Returns the sessions of one enabled user, the latest use first.
std::vector<model::Session> sessions_of(db::Database& database, const model::Subject& subject, const SessionLife& life,
                                        db::Limit limit = {});
std::int64_t count_sessions_of(db::Database& database, const model::Subject& subject, const SessionLife& life);

/// Keeps kMaxSessions of the user of `begun`, which stays: the least recently used ones beyond end, at most
/// kSurplusBatch at a time. Their grants live on, as those of expired sessions do; their clients are told. Queued. The
/// transaction holds the user's row.
void end_surplus_sessions(db::Transaction& transaction, const model::Session& begun, const LogoutNotices& notices);

/// Returns the users who have a session, an unanswered authorization request or a remembered device.
std::vector<model::Subject> subjects_with_sessions(db::Database& database);

struct EndedSession {
    model::Sid sid;
    std::int64_t grants = 0;
};
struct EndedSessions {
    std::vector<EndedSession> sessions;
    ToldClients told;  ///< of it
};
/// Ends all of the user's sessions but `keep` (empty: all), unanswered authorization requests, and the sessions' grants
/// except offline ones (end_grants_of_session). Sessions that have expired but are still stored count too. The same few
/// statements for any number of sessions, and one for each application that is told.
EndedSessions end_sessions(db::Transaction& transaction, const model::Subject& subject, util::Time now,
                           const LogoutNotices& notices, const model::Sid& keep = {});

/// Ends one session of the user as end_sessions does. Returns the number of its grants that have ended; nullopt: the
/// user has no such session, and nothing has changed.
std::optional<std::int64_t> end_session(db::Transaction& transaction, const model::Subject& subject,
                                        const model::Sid& sid, util::Time now, const LogoutNotices& notices);
}  // namespace postern::store
