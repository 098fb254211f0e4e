// Decides which use of a refresh token counts: one conditional statement for the rotation, one for the retry.
#include "store/refresh_tokens.h"

#include <string>

#include "store/client_values.h"
#include "store/columns.h"

namespace postern::store {
namespace {

using model::RefreshToken;
using model::ValueHash;

#define POSTERN_REFRESH_TOKEN                                                                                          \
    "SELECT t.token_hash, t.grant_id, t.parent_hash, t.issued_at, t.expires_at, t.rotated_at, t.revoked_at, t.opaque," \
    " " POSTERN_CLIENT_STATE_COLUMNS                                                                                   \
    ", CASE WHEN g.subject IS NULL THEN 1 ELSE u.enabled END, u.username, c.details," POSTERN_GRANT_COLUMNS            \
    " FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id JOIN clients c ON c.id = g.client_id"                   \
    " LEFT JOIN users u ON u.subject = g.subject WHERE "

constexpr const char* kOfGrant = POSTERN_REFRESH_TOKEN "t.grant_id = $1 AND t.token_hash = $2";
constexpr const char* kOpaque = POSTERN_REFRESH_TOKEN "t.token_hash = $1 AND t.opaque = 1";

/// The one rotation: true for exactly one caller.
bool use_current(db::Transaction& transaction, const RefreshToken& used, const ValueHash& successor, util::Time now) {
    return transaction.run(
               "UPDATE refresh_tokens SET state = 'used', rotated_at = $3, successor_hash = $4"
               " WHERE grant_id = $1 AND token_hash = $2 AND state = 'current' AND revoked_at IS NULL"
               " AND expires_at > $3 AND EXISTS (SELECT 1 FROM grants g WHERE g.id = $1 AND g.ended_at IS NULL)",
               used.grant_id, used.token_hash, now, successor) == 1;
}

/// After a lost answer a parent has two successors, and the first of them to be used survives:
///
///     parent (retried) --successor_hash--> `used`, or its sibling
///                      --sibling_hash----> the other one, which becomes `superseded`
void supersede_sibling(db::Transaction& transaction, const RefreshToken& used, util::Time now) {
    if (!used.parent_hash) return;
    transaction.queue(
        "UPDATE refresh_tokens SET state = 'superseded', rotated_at = $3"
        " WHERE grant_id = $1 AND state = 'current' AND token_hash ="
        " (SELECT CASE p.successor_hash WHEN $2 THEN p.sibling_hash ELSE p.successor_hash END"
        " FROM refresh_tokens p WHERE p.grant_id = $1 AND p.token_hash = $4 AND p.state = 'retried')",
        used.grant_id, used.token_hash, now, used.parent_hash);
}

/// Why a token cannot be used once more.
struct Spent {
    std::string state;
    bool dead = true;  ///< expired, revoked, or of a grant that has ended: nothing is left to protect
    util::Time rotated_at{};
    bool successor_used = false;
};

Spent read_spent(db::Database& database, const RefreshToken& used, util::Time now) {
    auto row = database.query(
        "SELECT t.state, t.rotated_at, t.expires_at <= $3 OR t.revoked_at IS NOT NULL OR g.ended_at IS NOT NULL,"
        " EXISTS (SELECT 1 FROM refresh_tokens s WHERE s.grant_id = t.grant_id"
        " AND s.token_hash IN (t.successor_hash, t.sibling_hash) AND s.state <> 'current')"
        " FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.grant_id = $1 AND t.token_hash = $2",
        used.grant_id, used.token_hash, now);
    Spent spent;
    if (row.step()) row >> spent.state >> spent.rotated_at >> spent.dead >> spent.successor_used;
    return spent;
}

/// A rotation "in the future" was recorded before the clock was set back. Beyond a small step its age is unknown, and a
/// window of hours would help a thief.
bool is_in_window(util::Time rotated_at, util::Time now, util::Seconds grace) {
    constexpr util::Seconds kClockStep{60};
    return grace.count() > 0 && now <= rotated_at + grace && rotated_at <= now + kClockStep;
}

void mark_retried(db::Transaction& transaction, const RefreshToken& used, const ValueHash& sibling) {
    transaction.queue(
        "UPDATE refresh_tokens SET state = 'retried', sibling_hash = $3"
        " WHERE grant_id = $1 AND token_hash = $2 AND state = 'used'",
        used.grant_id, used.token_hash, sibling);
}

/// The row of kOfGrant or kOpaque.
std::optional<StoredRefreshToken> read(db::Statement row) {
    if (!row.step()) return std::nullopt;
    StoredRefreshToken stored;
    auto& token = stored.token;
    std::string details;
    row >> token.token_hash >> token.grant_id >> token.parent_hash >> token.issued_at >> token.expires_at >>
        token.rotated_at >> token.revoked_at >> token.is_opaque >> stored.client >> stored.user_enabled >>
        stored.username >> details >> stored.grant;
    stored.client_profile = read_security_profile(details);
    return stored;
}

}  // namespace

void insert_refresh_token(db::Transaction& transaction, const model::RefreshToken& token, util::Time kept_until) {
    transaction.queue(
        "INSERT INTO refresh_tokens (grant_id, token_hash, parent_hash, issued_at, expires_at, opaque, state)"
        " VALUES ($1, $2, $3, $4, $5, $6, 'current')",
        token.grant_id, token.token_hash, token.parent_hash, token.issued_at, token.expires_at, token.is_opaque);
    if (token.expires_at > kept_until) keep_grant(transaction, token.grant_id, token.expires_at);
}

std::optional<StoredRefreshToken> find_refresh_token(db::Database& database, const model::GrantId& grant,
                                                     const ValueHash& token_hash) {
    return read(database.query(kOfGrant, grant, token_hash));
}

std::optional<StoredRefreshToken> find_opaque_refresh_token(db::Database& database, const ValueHash& token_hash) {
    return read(database.query(kOpaque, token_hash));
}

bool is_active(const StoredRefreshToken& stored, util::Time now) {
    return stored.token.expires_at > now && !stored.token.rotated_at && !stored.token.revoked_at &&
           !stored.grant.ended_at && stored.client.enabled && stored.user_enabled;
}

bool is_live(db::Transaction& transaction, const RefreshToken& token, util::Time now) {
    lock_grant(transaction, token.grant_id);
    return transaction.database()
        .query(
            "SELECT 1 FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id"
            " WHERE t.grant_id = $1 AND t.token_hash = $2 AND t.state = 'current' AND t.revoked_at IS NULL"
            " AND t.expires_at > $3 AND g.ended_at IS NULL",
            token.grant_id, token.token_hash, now)
        .step();
}

Rotation rotate_refresh_token(db::Transaction& transaction, const RefreshToken& used, const ValueHash& successor,
                              util::Time now, util::Seconds grace) {
    lock_grant(transaction, used.grant_id);
    if (use_current(transaction, used, successor, now)) {
        supersede_sibling(transaction, used, now);
        return Rotation::rotated;
    }
    const Spent spent = read_spent(transaction.database(), used, now);
    if (spent.dead) return Rotation::refused;
    if (!is_in_window(spent.rotated_at, now, grace) || spent.successor_used) return Rotation::reused;
    if (spent.state != "used") return Rotation::refused;  // a second sibling, or a third try
    mark_retried(transaction, used, successor);
    return Rotation::retried;
}

void revoke_refresh_tokens(db::Transaction& transaction, const model::GrantId& id, util::Time now) {
    lock_grant(transaction, id);
    transaction.queue("UPDATE refresh_tokens SET revoked_at = $2 WHERE grant_id = $1 AND revoked_at IS NULL", id, now);
}

}  // namespace postern::store
