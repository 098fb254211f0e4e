// Decides whether an access token is active (RFC 7662 §2.2).
#include "store/access_tokens.h"

#include <algorithm>

#include "store/client_values.h"
#include "store/columns.h"
#include "util/text.h"

namespace postern::store {
namespace {

/// The key of the 1000th row after `key`, or of the last one; nullopt: there is none.
std::optional<AccessTokenKey> find_end_of_step(db::Database& database, const AccessTokenKey& key) {
    auto row = database.query(
        "SELECT grant_id, issued_at, token_hash FROM (SELECT grant_id, issued_at, token_hash FROM access_tokens"
        " WHERE (grant_id, issued_at, token_hash) > ($1, $2, $3) ORDER BY grant_id, issued_at, token_hash"
        " LIMIT 1000) step ORDER BY grant_id DESC, issued_at DESC, token_hash DESC LIMIT 1",
        key.grant_id, key.issued_at, key.token_hash);
    if (!row.step()) return std::nullopt;
    AccessTokenKey last;
    row >> last.grant_id >> last.issued_at >> last.token_hash;
    return last;
}

/// RFC 7800 §3 has other ways to say whose a token is.
struct Binding {
    std::string_view prefix;
    std::string model::Confirmation::*value;
};
constexpr Binding kBindings[] = {{"jkt:", &model::Confirmation::jkt}, {"x5t:", &model::Confirmation::x5t}};

std::string cnf_column(const model::Confirmation& cnf) {
    std::string column;
    for (const auto& [prefix, value] : kBindings)
        if (!(cnf.*value).empty()) column.append(column.empty() ? "" : " ").append(prefix).append(cnf.*value);
    return column;
}

/// Throws StoreError for a binding that this release does not know: such a token is no bearer token.
model::Confirmation parse_cnf(const std::string& column) {
    model::Confirmation cnf;
    if (column.empty()) return cnf;
    for (const std::string_view word : util::split(column, ' ')) {
        const auto* const known =
            std::ranges::find_if(kBindings, [&](const Binding& binding) { return word.starts_with(binding.prefix); });
        if (known == std::end(kBindings)) throw db::StoreError("access_tokens.cnf holds a binding of another release");
        cnf.*(known->value) = word.substr(known->prefix.size());
    }
    return cnf;
}

}  // namespace

void insert_access_token(db::Transaction& transaction, const model::AccessToken& token, util::Time kept_until) {
    transaction.queue(
        "INSERT INTO access_tokens (grant_id, issued_at, token_hash, jti, scope, audience, expires_at, cnf)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        token.grant_id, token.issued_at, token.token_hash, token.jti, token.scope, token.audience, token.expires_at,
        cnf_column(token.cnf));
    transaction.mark("SELECT 1 FROM access_tokens WHERE grant_id = $1 AND issued_at = $2 AND token_hash = $3",
                     token.grant_id, token.issued_at, token.token_hash);
    if (token.expires_at > kept_until) keep_grant(transaction, token.grant_id, token.expires_at);
}

std::optional<StoredAccessToken> find_access_token(db::Database& database, const AccessTokenKey& key) {
    auto row = database.query(
        "SELECT t.scope, g.client_id, g.subject, g.auth_time, g.acr, g.userinfo_claims, c.own_claims, c.scope,"
        " t.expires_at,"
        " t.revoked_at IS NOT NULL OR g.ended_at IS NOT NULL, " POSTERN_CLIENT_STATE_COLUMNS
        ", CASE WHEN g.subject IS NULL THEN 1 ELSE u.enabled END, t.cnf, c.details"
        " FROM access_tokens t JOIN grants g ON g.id = t.grant_id JOIN clients c ON c.id = g.client_id"
        " LEFT JOIN users u ON u.subject = g.subject"
        " WHERE t.grant_id = $1 AND t.issued_at = $2 AND t.token_hash = $3",
        key.grant_id, key.issued_at, key.token_hash);
    if (!row.step()) return std::nullopt;

    StoredAccessToken stored;
    row >> stored.scope >> stored.client_id >> stored.subject >> stored.auth_time >> stored.acr >>
        stored.userinfo_claims >> stored.own_claims >> stored.registered >> stored.expires_at >> stored.revoked >>
        stored.client >> stored.user_enabled;
    std::string cnf, details;
    row >> cnf >> details;
    stored.cnf = parse_cnf(cnf);
    stored.client_profile = read_security_profile(details);
    return stored;
}

void revoke_access_token(db::Transaction& transaction, const AccessTokenKey& key, util::Time now) {
    lock_grant(transaction, key.grant_id);
    transaction.queue(
        "UPDATE access_tokens SET revoked_at = $4"
        " WHERE grant_id = $1 AND issued_at = $2 AND token_hash = $3 AND revoked_at IS NULL",
        key.grant_id, key.issued_at, key.token_hash, now);
}

void delete_expired_access_tokens(db::Transaction& transaction, const model::GrantId& id, util::Time before) {
    constexpr int kMost = 8;
    // Looks at the oldest only: a grant may have thousands that are good. None that was issued later has expired.
    constexpr const char* kDeleteOldest =
        "DELETE FROM access_tokens WHERE expires_at <= $2 AND (grant_id, issued_at, token_hash) ="
        " (SELECT grant_id, issued_at, token_hash FROM access_tokens WHERE grant_id = $1"
        " ORDER BY issued_at, token_hash LIMIT 1)";
    for (int left = kMost; left > 0 && transaction.run(kDeleteOldest, id, before) == 1; --left) continue;
}

std::optional<std::int64_t> walk_expired_access_tokens(db::Transaction& transaction, AccessTokenKey& last,
                                                       util::Time now) {
    auto next = find_end_of_step(transaction.database(), last);
    if (!next) return std::nullopt;
    const auto deleted = transaction.run(
        "DELETE FROM access_tokens WHERE (grant_id, issued_at, token_hash) > ($1, $2, $3)"
        " AND (grant_id, issued_at, token_hash) <= ($4, $5, $6) AND expires_at <= $7",
        last.grant_id, last.issued_at, last.token_hash, next->grant_id, next->issued_at, next->token_hash, now);
    last = std::move(*next);
    return deleted;
}

bool is_active(const StoredAccessToken& stored, util::Time now) {
    return stored.expires_at > now && !stored.revoked && stored.client.enabled && stored.user_enabled;
}

}  // namespace postern::store
