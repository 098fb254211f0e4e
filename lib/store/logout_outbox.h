// Table `logout_outbox`: logout tokens that wait to be sent, each made with the end of its session (OpenID Connect
// Back-Channel Logout 1.0 §2.5). The command sends them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "crypto/random.h"
#include "db/database.h"
#include "model/client.h"
#include "model/session.h"
#include "os/file.h"
#include "util/clock.h"

namespace postern::store {

/// The time for which a logout token is tried to be sent (BCL-4).
inline constexpr util::Seconds kLogoutLifetime{7200};
/// The time for which a row is kept behind that where no command gives it up.
inline constexpr util::Seconds kLogoutRetention{86400};

/// The way in which clients hear that a session has ended; as it is made, they hear nothing, and nothing is asked of
/// the database. Borrows the pointers.
struct LogoutNotices {
    bool has_clients = false;  ///< notes of clients are kept, which end with their session
    bool backchannel = false;  ///< a row is made for each client with an address
    crypto::Random* random = nullptr;
    os::WakeFile* wake = nullptr;  ///< of the command that sends; nullptr: the caller wakes it
};

/// The clients that will be told, each once, of however many sessions.
using ToldClients = std::set<model::ClientId>;

/// The sessions of a user that end: all, one, or all but one.
struct EndingSessions {
    model::Sid only = {};
    model::Sid keep = {};
};

/// Makes the rows for the clients of sessions that end in this transaction, before it deletes them, and removes the
/// notes of their clients. The transaction has locked the user.
ToldClients tell_of_logout(db::Transaction& transaction, const LogoutNotices& notices, const model::Subject& subject,
                           const EndingSessions& which, util::Time now);

/// A logout token that waits.
struct LogoutNotice {
    std::string id = {};
    model::ClientId client_id = {};
    model::Subject subject = {};
    model::Sid sid = {};
    std::string jti = {};
    std::int64_t tries = 0;
    util::Time not_before{};
    util::Time expires_at{};
};

/// A notice with the address that its client has now; "": the client or its address is gone.
struct DueNotice {
    LogoutNotice notice;
    std::string uri;
};

/// The place of a notice in the order in which they are tried.
struct NoticePlace {
    util::Time not_before{};
    std::string id = {};
};

/// Returns at most `most` notices behind `after` that may be tried at `now`, the oldest first.
std::vector<DueNotice> find_due_notices(db::Database& database, const NoticePlace& after, util::Time now, int most);
/// Claims the row: true for one deliverer alone. It has been tried as often as `notice` says, and no other deliverer
/// may try it before `until`.
bool claim_notice(db::Transaction& transaction, const LogoutNotice& notice, util::Time until);
/// Removes the row, which was sent or is given up. False, and nothing is removed, when it has been tried another number
/// of times since.
bool remove_notice(db::Transaction& transaction, const std::string& id, std::int64_t tries);

struct NoticeCounts {
    std::int64_t waiting = 0;
    std::int64_t late = 0;  ///< among them: made before the time that was asked for
};
NoticeCounts count_notices(db::Database& database, util::Time late_before);

}  // namespace postern::store
