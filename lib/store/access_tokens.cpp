// Decides whether an access token is active (RFC 7662 §2.2).
#include "store/access_tokens.h"

#include "store/columns.h"

namespace postern::store {
namespace {

void bind_key(Statement& statement, const AccessTokenKey& key) {
    statement.bind(1, key.grant_id.str()).bind(2, util::to_epoch(key.issued_at)).bind(3, key.token_hash.str());
}

}  // namespace

void insert_access_token(Transaction& transaction, const model::AccessToken& token, util::Time kept_until) {
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

std::optional<StoredAccessToken> find_access_token(Database& database, const AccessTokenKey& key) {
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

void revoke_access_token(Transaction& transaction, const AccessTokenKey& key, util::Time now) {
    auto statement = transaction.database().prepare(
        "UPDATE access_tokens SET revoked_at = $4"
        " WHERE grant_id = $1 AND issued_at = $2 AND token_hash = $3 AND revoked_at IS NULL");
    bind_key(statement, key);
    statement.bind(4, util::to_epoch(now)).execute();
}

void delete_expired_access_tokens(Transaction& transaction, const model::GrantId& id, util::Time before) {
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

bool is_active(const StoredAccessToken& stored, util::Time now) {
    return stored.token.expires_at > now && !stored.token.revoked_at && !stored.grant.ended_at &&
           stored.client_enabled && stored.user_enabled;
}

}  // namespace postern::store
