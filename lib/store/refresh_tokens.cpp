// Decides which use of a refresh token counts: one conditional statement for the rotation, one for the retry.
#include "store/refresh_tokens.h"

#include "store/columns.h"

namespace postern::store {
namespace {

using model::RefreshToken;
using model::ValueHash;

#define POSTERN_REFRESH_TOKEN                                                                                          \
    "SELECT t.token_hash, t.grant_id, t.parent_hash, t.issued_at, t.expires_at, t.rotated_at, t.revoked_at, t.opaque," \
    " c.enabled, CASE WHEN g.subject IS NULL THEN 1 ELSE u.enabled END," POSTERN_GRANT_COLUMNS                         \
    " FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id JOIN clients c ON c.id = g.client_id"                   \
    " LEFT JOIN users u ON u.subject = g.subject WHERE "

constexpr const char* kOfGrant = POSTERN_REFRESH_TOKEN "t.grant_id = $1 AND t.token_hash = $2";
constexpr const char* kOpaque = POSTERN_REFRESH_TOKEN "t.token_hash = $1 AND t.opaque = 1";

/// $1 and $2: the key.
db::Statement& bind_key(db::Statement& statement, const RefreshToken& token) {
    return statement.bind(1, token.grant_id.str()).bind(2, token.token_hash.str());
}

/// The one rotation: true for exactly one caller.
bool use_current(db::Transaction& transaction, const RefreshToken& used, const ValueHash& successor, util::Time now) {
    auto statement = transaction.database().prepare(
        "UPDATE refresh_tokens SET state = 'used', rotated_at = $3, successor_hash = $4"
        " WHERE grant_id = $1 AND token_hash = $2 AND state = 'current' AND revoked_at IS NULL AND expires_at > $3"
        " AND EXISTS (SELECT 1 FROM grants g WHERE g.id = $1 AND g.ended_at IS NULL)");
    return bind_key(statement, used).bind(3, util::to_epoch(now)).bind(4, successor.str()).execute() == 1;
}

/// The other successor of its parent, where there is one.
void supersede_sibling(db::Transaction& transaction, const RefreshToken& used, util::Time now) {
    if (!used.parent_hash) return;
    auto statement = transaction.database().prepare(
        "UPDATE refresh_tokens SET state = 'superseded', rotated_at = $3"
        " WHERE grant_id = $1 AND state = 'current' AND token_hash ="
        " (SELECT CASE p.successor_hash WHEN $2 THEN p.sibling_hash ELSE p.successor_hash END"
        " FROM refresh_tokens p WHERE p.grant_id = $1 AND p.token_hash = $4 AND p.state = 'retried')");
    bind_key(statement, used).bind(3, util::to_epoch(now)).bind(4, used.parent_hash->str()).execute();
}

/// What a token that cannot be used once more says about itself.
struct Spent {
    std::string state;
    bool dead = true;  ///< expired, revoked, or of a grant that has ended: nothing is left to protect
    util::Time rotated_at{};
    bool successor_used = false;
};

Spent read_spent(db::Database& database, const RefreshToken& used, util::Time now) {
    auto row = database.prepare(
        "SELECT t.state, t.rotated_at, t.expires_at, t.revoked_at, g.ended_at,"
        " EXISTS (SELECT 1 FROM refresh_tokens s WHERE s.grant_id = t.grant_id"
        " AND s.token_hash IN (t.successor_hash, t.sibling_hash) AND s.state <> 'current')"
        " FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id WHERE t.grant_id = $1 AND t.token_hash = $2");
    Spent spent;
    if (!bind_key(row, used).step()) return spent;
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

void mark_retried(db::Transaction& transaction, const RefreshToken& used, const ValueHash& sibling) {
    auto statement = transaction.database().prepare(
        "UPDATE refresh_tokens SET state = 'retried', sibling_hash = $3 WHERE grant_id = $1 AND token_hash = $2");
    bind_key(statement, used).bind(3, sibling.str()).execute();
}

/// Of one of the two above, whose parameters are bound.
std::optional<StoredRefreshToken> read(db::Statement& row) {
    if (!row.step()) return std::nullopt;
    StoredRefreshToken stored;
    stored.token.token_hash = ValueHash(row.text(0));
    stored.token.grant_id = model::GrantId(row.text(1));
    if (const auto parent = row.optional_text(2)) stored.token.parent_hash = ValueHash(*parent);
    stored.token.issued_at = time_at(row, 3);
    stored.token.expires_at = time_at(row, 4);
    stored.token.rotated_at = optional_time_at(row, 5);
    stored.token.revoked_at = optional_time_at(row, 6);
    stored.token.is_opaque = row.integer(7) != 0;
    stored.client_enabled = row.integer(8) != 0;
    stored.user_enabled = row.integer(9) != 0;
    stored.grant = grant_at(row, 10);
    return stored;
}

}  // namespace

void insert_refresh_token(db::Transaction& transaction, const model::RefreshToken& token, util::Time kept_until) {
    transaction.database()
        .prepare(
            "INSERT INTO refresh_tokens (grant_id, token_hash, parent_hash, issued_at, expires_at, opaque, state)"
            " VALUES ($1, $2, $3, $4, $5, $6, 'current')")
        .bind(1, token.grant_id.str())
        .bind(2, token.token_hash.str())
        .bind(3, token.parent_hash ? std::optional(token.parent_hash->str()) : std::nullopt)
        .bind(4, util::to_epoch(token.issued_at))
        .bind(5, util::to_epoch(token.expires_at))
        .bind(6, flag(token.is_opaque))
        .execute();
    if (token.expires_at > kept_until) keep_grant(transaction, token.grant_id, token.expires_at);
}

std::optional<StoredRefreshToken> find_refresh_token(db::Database& database, const model::GrantId& grant,
                                                     const ValueHash& token_hash) {
    auto row = database.prepare(kOfGrant);
    return read(row.bind(1, grant.str()).bind(2, token_hash.str()));
}

std::optional<StoredRefreshToken> find_opaque_refresh_token(db::Database& database, const ValueHash& token_hash) {
    auto row = database.prepare(kOpaque);
    return read(row.bind(1, token_hash.str()));
}

bool is_active(const StoredRefreshToken& stored, util::Time now) {
    return stored.token.expires_at > now && !stored.token.rotated_at && !stored.token.revoked_at &&
           !stored.grant.ended_at && stored.client_enabled && stored.user_enabled;
}

Rotation rotate_refresh_token(db::Transaction& transaction, const RefreshToken& used, const ValueHash& successor,
                              util::Time now, util::Seconds grace) {
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
    transaction.database()
        .prepare("UPDATE refresh_tokens SET revoked_at = $2 WHERE grant_id = $1 AND revoked_at IS NULL")
        .bind(1, id.str())
        .bind(2, util::to_epoch(now))
        .execute();
}

}  // namespace postern::store
