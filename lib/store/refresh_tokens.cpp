// Decides which use of a refresh token counts: one conditional statement for the rotation, one for the retry.
#include "store/refresh_tokens.h"

#include "store/columns.h"

namespace postern::store {
namespace {

using model::ValueHash;

/// The one rotation: true for exactly one caller.
bool use_current(Transaction& transaction, const ValueHash& token_hash, util::Time now) {
    return transaction.database()
               .prepare(
                   "UPDATE refresh_tokens SET state = 'used', rotated_at = $2"
                   " WHERE token_hash = $1 AND state = 'current' AND revoked_at IS NULL AND expires_at > $2"
                   " AND EXISTS (SELECT 1 FROM grants g"
                   " WHERE g.id = refresh_tokens.grant_id AND g.ended_at IS NULL)")
               .bind(1, token_hash.str())
               .bind(2, util::to_epoch(now))
               .execute() == 1;
}

void supersede_siblings(Transaction& transaction, const ValueHash& token_hash, util::Time now) {
    transaction.database()
        .prepare(
            "UPDATE refresh_tokens SET state = 'superseded', rotated_at = $2"
            " WHERE parent_hash = (SELECT parent_hash FROM refresh_tokens WHERE token_hash = $1)"
            " AND token_hash <> $1 AND state = 'current'")
        .bind(1, token_hash.str())
        .bind(2, util::to_epoch(now))
        .execute();
}

/// What a token that cannot be used once more says about itself.
struct Spent {
    std::string state;
    bool dead = true;  ///< expired, revoked, or of a grant that has ended: nothing is left to protect
    util::Time rotated_at{};
    bool successor_used = false;
};

Spent read_spent(Database& database, const ValueHash& token_hash, util::Time now) {
    auto row = database.prepare(
        "SELECT t.state, t.rotated_at, t.expires_at, t.revoked_at, g.ended_at,"
        " EXISTS (SELECT 1 FROM refresh_tokens s WHERE s.parent_hash = t.token_hash AND s.state <> 'current')"
        " FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.token_hash = $1");
    Spent spent;
    if (!row.bind(1, token_hash.str()).step()) return spent;
    spent.state = row.text(0);
    spent.rotated_at = time_at(row, 1);
    spent.dead = time_at(row, 2) <= now || row.optional_integer(3) || row.optional_integer(4);
    spent.successor_used = row.integer(5) != 0;
    return spent;
}

/// A use "in the future" is one from before the clock was set back; beyond a small step nobody knows how long ago that
/// was, and a window of hours would serve a thief.
bool is_in_window(util::Time rotated_at, util::Time now, util::Seconds grace) {
    constexpr util::Seconds kClockStep{60};
    return grace.count() > 0 && now <= rotated_at + grace && rotated_at <= now + kClockStep;
}

void mark_retried(Transaction& transaction, const ValueHash& token_hash) {
    transaction.database()
        .prepare("UPDATE refresh_tokens SET state = 'retried' WHERE token_hash = $1")
        .bind(1, token_hash.str())
        .execute();
}

}  // namespace

void insert_refresh_token(Transaction& transaction, const model::RefreshToken& token) {
    transaction.database()
        .prepare(
            "INSERT INTO refresh_tokens (token_hash, grant_id, parent_hash, issued_at, expires_at, state)"
            " VALUES ($1, $2, $3, $4, $5, 'current')")
        .bind(1, token.token_hash.str())
        .bind(2, token.grant_id.str())
        .bind(3, token.parent_hash ? std::optional(token.parent_hash->str()) : std::nullopt)
        .bind(4, util::to_epoch(token.issued_at))
        .bind(5, util::to_epoch(token.expires_at))
        .execute();
    keep_grant(transaction, token.grant_id, token.expires_at);
}

std::optional<StoredRefreshToken> find_refresh_token(Database& database, const ValueHash& token_hash) {
    auto row = database.prepare(
        "SELECT t.token_hash, t.grant_id, t.parent_hash, t.issued_at, t.expires_at, t.rotated_at, t.revoked_at,"
        " c.enabled, CASE WHEN g.subject IS NULL THEN 1 ELSE u.enabled END," POSTERN_GRANT_COLUMNS
        " FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id JOIN clients c ON c.id = g.client_id"
        " LEFT JOIN users u ON u.subject = g.subject WHERE t.token_hash = $1");
    if (!row.bind(1, token_hash.str()).step()) return std::nullopt;

    StoredRefreshToken stored;
    stored.token.token_hash = ValueHash(row.text(0));
    stored.token.grant_id = model::GrantId(row.text(1));
    if (const auto parent = row.optional_text(2)) stored.token.parent_hash = ValueHash(*parent);
    stored.token.issued_at = time_at(row, 3);
    stored.token.expires_at = time_at(row, 4);
    stored.token.rotated_at = optional_time_at(row, 5);
    stored.token.revoked_at = optional_time_at(row, 6);
    stored.client_enabled = row.integer(7) != 0;
    stored.user_enabled = row.integer(8) != 0;
    stored.grant = grant_at(row, 9);
    return stored;
}

bool is_active(const StoredRefreshToken& stored, util::Time now) {
    return stored.token.expires_at > now && !stored.token.rotated_at && !stored.token.revoked_at &&
           !stored.grant.ended_at && stored.client_enabled && stored.user_enabled;
}

Rotation rotate_refresh_token(Transaction& transaction, const ValueHash& token_hash, util::Time now,
                              util::Seconds grace) {
    if (use_current(transaction, token_hash, now)) {
        supersede_siblings(transaction, token_hash, now);
        return Rotation::rotated;
    }
    const Spent spent = read_spent(transaction.database(), token_hash, now);
    if (spent.dead) return Rotation::refused;
    if (!is_in_window(spent.rotated_at, now, grace) || spent.successor_used) return Rotation::reused;
    if (spent.state != "used") return Rotation::refused;  // a second sibling, or a third try
    mark_retried(transaction, token_hash);
    return Rotation::retried;
}

void revoke_refresh_tokens(Transaction& transaction, const model::GrantId& id, util::Time now) {
    transaction.database()
        .prepare("UPDATE refresh_tokens SET revoked_at = $2 WHERE grant_id = $1 AND revoked_at IS NULL")
        .bind(1, id.str())
        .bind(2, util::to_epoch(now))
        .execute();
}

}  // namespace postern::store
