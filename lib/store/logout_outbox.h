// Table `logout_outbox`: logout tokens to be sent, each inserted in the transaction that ends its session (OpenID
// Connect Back-Channel Logout 1.0 §2.5). `postern session deliver` sends them.
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

/// The lifetime of a row: no try begins after it (BCL-4).
inline constexpr util::Seconds kLogoutLifetime{7200};
/// The time after the lifetime at which the sweep removes a row that no command gave up.
inline constexpr util::Seconds kLogoutRetention{86400};

/// The ways in which the server tells clients of ended sessions. By default none is on, and the database is not asked.
/// Borrows the pointers.
struct LogoutNotices {
    bool has_clients = false;  ///< notes of clients are kept, which end with their session
    bool backchannel = false;  ///< a row is made for each client with an address
    crypto::Random* random = nullptr;
    os::WakeFile* wake = nullptr;  ///< of the command that sends; nullptr: the caller wakes it
};

/// The clients that will be told, once each, however many of their sessions end.
using ToldClients = std::set<model::ClientId>;

/// The sessions of a user that end: all, one, or all but one.
struct EndingSessions {
    model::Sid only = {};
    model::Sid keep = {};
};

/// Inserts a row for each client of the sessions that this transaction is about to delete, and removes their rows of
/// `session_clients`. The transaction has locked the user.
ToldClients tell_of_logout(db::Transaction& transaction, const LogoutNotices& notices, const model::Subject& subject,
                           const EndingSessions& which, util::Time now);

/// A row of the outbox.
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

/// The position of a notice in the order of tries.
struct NoticePlace {
    util::Time not_before{};
    std::string id = {};
};

/// Returns at most `most` notices behind `after` that may be tried at `now`, the oldest first.
std::vector<DueNotice> find_due_notices(db::Database& database, const NoticePlace& after, util::Time now, int most);
/// Claims the row until `until`, and counts a try. True for one process alone; false if another one has claimed it
/// since it was read.
bool claim_notice(db::Transaction& transaction, const LogoutNotice& notice, util::Time until);
/// Removes the row, after it was sent or given up. False, and nothing is removed, if another process has claimed it
/// since.
bool remove_notice(db::Transaction& transaction, const std::string& id, std::int64_t tries);

struct NoticeCounts {
    std::int64_t waiting = 0;
    std::int64_t late = 0;  ///< among them: made before the time that was asked for
};
NoticeCounts count_notices(db::Database& database, util::Time late_before);

}  // namespace postern::store
