// Decides whether an access token is active (RFC 7662 §2.2).
#include "store/access_tokens.h"

#include "store/columns.h"

namespace postern::store {
namespace {

/// From the parameter `first` on, three of them.
db::Statement& bind_key(db::Statement& statement, const AccessTokenKey& key, int first = 1) {
    return statement.bind(first, key.grant_id.str())
        .bind(first + 1, util::to_epoch(key.issued_at))
        .bind(first + 2, key.token_hash.str());
}

/// The key of the 1000th row after `key`, or of the last one; nullopt: there is none.
std::optional<AccessTokenKey> find_end_of_step(db::Database& database, const AccessTokenKey& key) {
    auto row = database.prepare(
        "SELECT grant_id, issued_at, token_hash FROM (SELECT grant_id, issued_at, token_hash FROM access_tokens"
        " WHERE (grant_id, issued_at, token_hash) > ($1, $2, $3) ORDER BY grant_id, issued_at, token_hash"
        " LIMIT 1000) ORDER BY grant_id DESC, issued_at DESC, token_hash DESC LIMIT 1");
    if (!bind_key(row, key).step()) return std::nullopt;
    return AccessTokenKey{model::GrantId(row.text(0)), time_at(row, 1), model::ValueHash(row.text(2))};
}

}  // namespace

void insert_access_token(db::Transaction& transaction, const model::AccessToken& token, util::Time kept_until) {
    transaction.database()
        .prepare(
            "INSERT INTO access_tokens (grant_id, issued_at, token_hash, jti, scope, audience, expires_at, revoked_at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)")
        .bind(1, token.grant_id.str())
        .bind(2, util::to_epoch(token.issued_at))
        .bind(3, token.token_hash.str())
        .bind(4, token.jti)
        .bind(5, token.scope.to_string())
        .bind(6, token.audience)
        .bind(7, util::to_epoch(token.expires_at))
        .bind(8, epoch(token.revoked_at))
        .execute();
    if (token.expires_at > kept_until) keep_grant(transaction, token.grant_id, token.expires_at);
}

std::optional<StoredAccessToken> find_access_token(db::Database& database, const AccessTokenKey& key) {
    auto row = database.prepare(
        "SELECT t.token_hash, t.jti, t.grant_id, t.scope, t.audience, t.issued_at, t.expires_at, t.revoked_at,"
        " c.enabled, CASE WHEN g.subject IS NULL THEN 1 ELSE u.enabled END, c.scope," POSTERN_GRANT_COLUMNS
        " FROM access_tokens t JOIN grants g ON g.id = t.grant_id JOIN clients c ON c.id = g.client_id"
        " LEFT JOIN users u ON u.subject = g.subject"
        " WHERE t.grant_id = $1 AND t.issued_at = $2 AND t.token_hash = $3");
    bind_key(row, key);
    if (!row.step()) return std::nullopt;

    StoredAccessToken stored;
    stored.token.token_hash = model::ValueHash(row.text(0));
    stored.token.jti = row.text(1);
    stored.token.grant_id = model::GrantId(row.text(2));
    stored.token.scope = scope_at(row, 3);
    stored.token.audience = row.optional_text(4);
    stored.token.issued_at = time_at(row, 5);
    stored.token.expires_at = time_at(row, 6);
    stored.token.revoked_at = optional_time_at(row, 7);
    stored.client_enabled = row.integer(8) != 0;
    stored.user_enabled = row.integer(9) != 0;
    stored.registered = scope_at(row, 10);
    stored.grant = grant_at(row, 11);
    return stored;
}

void revoke_access_token(db::Transaction& transaction, const AccessTokenKey& key, util::Time now) {
    auto statement = transaction.database().prepare(
        "UPDATE access_tokens SET revoked_at = $4"
        " WHERE grant_id = $1 AND issued_at = $2 AND token_hash = $3 AND revoked_at IS NULL");
    bind_key(statement, key);
    statement.bind(4, util::to_epoch(now)).execute();
}

void delete_expired_access_tokens(db::Transaction& transaction, const model::GrantId& id, util::Time before) {
    // Looks at the oldest only: a grant may have thousands that are good.
    transaction.database()
        .prepare(
            "DELETE FROM access_tokens WHERE grant_id = $1 AND (issued_at, token_hash) IN"
            " (SELECT issued_at, token_hash FROM access_tokens WHERE grant_id = $1 ORDER BY issued_at LIMIT 8)"
            " AND expires_at <= $2")
        .bind(1, id.str())
        .bind(2, util::to_epoch(before))
        .execute();
}

std::optional<std::int64_t> walk_expired_access_tokens(db::Transaction& transaction, AccessTokenKey& last, util::Time now) {
    auto next = find_end_of_step(transaction.database(), last);
    if (!next) return std::nullopt;
    auto statement = transaction.database().prepare(
        "DELETE FROM access_tokens WHERE (grant_id, issued_at, token_hash) > ($1, $2, $3)"
        " AND (grant_id, issued_at, token_hash) <= ($4, $5, $6) AND expires_at <= $7");
    bind_key(statement, last);
    bind_key(statement, *next, 4);
    const auto deleted = statement.bind(7, util::to_epoch(now)).execute();
    last = std::move(*next);
    return deleted;
}

bool is_active(const StoredAccessToken& stored, util::Time now) {
    return stored.token.expires_at > now && !stored.token.revoked_at && !stored.grant.ended_at &&
           stored.client_enabled && stored.user_enabled;
}

}  // namespace postern::store
