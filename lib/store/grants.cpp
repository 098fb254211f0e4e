// Decides which caller redeems an authorization code, and when a grant ends (RFC 6749 §4.1.2).
#include "store/grants.h"

#include <algorithm>

#include "store/columns.h"

namespace postern::store {
namespace {

using model::AuthorizationCode;
using model::Grant;
using model::GrantId;
using model::ValueHash;

/// NULL for a grant without a user (RFC 6749 §4.4).
std::optional<model::Subject> subject_of(const Grant& grant) {
    if (grant.subject.empty()) return std::nullopt;
    return grant.subject;
}

/// One more than the largest number of the grants of this user to this client: an end of the index. An id would not do,
/// because a clock that was set back makes small ones. NULL is in no index, and not asked for.
#define POSTERN_NEXT_NUMBER                        \
    "CASE WHEN $3 IS NULL THEN 0 ELSE"             \
    " (SELECT COALESCE(MAX(former.number), 0) + 1" \
    " FROM grants former WHERE former.subject = $3 AND former.client_id = $2) END"

}  // namespace

void insert_grant(db::Transaction& transaction, const Grant& grant, util::Time until) {
    transaction.queue(
        "INSERT INTO grants (id, client_id, subject, scope, auth_time, sid, created_at, kept_until, userinfo_claims,"
        " id_token_claims, resources, acr, amr, ignored_scope, number)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, " POSTERN_NEXT_NUMBER ")",
        grant.id, grant.client_id, subject_of(grant), grant.scope, grant.auth_time, grant.sid, grant.created_at,
        std::max(grant.created_at, until), model::to_string(grant.claims.userinfo),
        model::to_string(grant.claims.id_token), model::to_string(grant.resources), grant.acr, grant.amr,
        grant.ignored_scope);
}

void lock_grant(db::Transaction& transaction, const GrantId& id) {
    transaction.lock("SELECT 1 FROM grants WHERE id = $1 FOR NO KEY UPDATE", id);
}

void keep_grant(db::Transaction& transaction, const GrantId& id, util::Time until) {
    transaction.queue("UPDATE grants SET kept_until = $2 WHERE id = $1 AND kept_until < $2 AND ended_at IS NULL", id,
                      until);
}

void bind_grant(db::Transaction& transaction, const GrantId& id, const model::Confirmation& keys) {
    // Each column is an option's: on a server the other one may lack the right to write it.
    if (!keys.jkt.empty()) transaction.queue("UPDATE grants SET dpop_jkt = $2 WHERE id = $1", id, keys.jkt);
    if (!keys.x5t.empty()) transaction.queue("UPDATE grants SET x5t = $2 WHERE id = $1", id, keys.x5t);
}

void insert_code(db::Transaction& transaction, const AuthorizationCode& code) {
    transaction.queue(
        "INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, redirect_uri_sent, nonce,"
        " code_challenge, max_age, audience, expires_at, dpop_jkt)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        code.code_hash, code.grant_id, code.redirect_uri, code.redirect_uri_sent, code.nonce, code.code_challenge,
        code.max_age, code.audience, code.expires_at, code.dpop_jkt);
    transaction.mark("SELECT 1 FROM authorization_codes WHERE code_hash = $1", code.code_hash);
    keep_grant(transaction, code.grant_id, code.expires_at);
}

std::optional<StoredCode> find_code(db::Database& database, const ValueHash& code_hash) {
    auto row = database.query(
        "SELECT c.code_hash, c.grant_id, c.redirect_uri, c.redirect_uri_sent, c.nonce, c.code_challenge, c.max_age,"
        " c.audience, c.expires_at, c.redeemed_at, c.burned_at, c.dpop_jkt, u.enabled, u.username," POSTERN_GRANT_COLUMNS
        " FROM authorization_codes c JOIN grants g ON g.id = c.grant_id"
        " LEFT JOIN users u ON u.subject = g.subject WHERE c.code_hash = $1",
        code_hash);
    if (!row.step()) return std::nullopt;
    StoredCode stored;
    auto& code = stored.code;
    row >> code.code_hash >> code.grant_id >> code.redirect_uri >> code.redirect_uri_sent >> code.nonce >>
        code.code_challenge >> code.max_age >> code.audience >> code.expires_at >> code.redeemed_at >> code.burned_at >>
        code.dpop_jkt >> stored.user_enabled >> stored.username >> stored.grant;
    return stored;
}

bool is_redeemable(db::Database& database, const ValueHash& code_hash, const model::Session& session, util::Time now) {
    return database
        .query(
            "SELECT 1 FROM authorization_codes c JOIN grants g ON g.id = c.grant_id"
            " WHERE c.code_hash = $1 AND c.redeemed_at IS NULL AND c.burned_at IS NULL AND c.expires_at > $2"
            " AND g.ended_at IS NULL AND g.subject = $3 AND g.sid = $4",
            code_hash, now, session.subject, session.sid)
        .step();
}

bool redeem_code(db::Transaction& transaction, const ValueHash& code_hash, util::Time now) {
    transaction.lock(
        "SELECT 1 FROM grants WHERE id = (SELECT grant_id FROM authorization_codes WHERE code_hash = $1)"
        " FOR NO KEY UPDATE",
        code_hash);
    // One statement decides: a second caller changes no row.
    return transaction.run(
               "UPDATE authorization_codes SET redeemed_at = $2"
               " WHERE code_hash = $1 AND redeemed_at IS NULL AND burned_at IS NULL"
               " AND EXISTS (SELECT 1 FROM grants g"
               " WHERE g.id = authorization_codes.grant_id AND g.ended_at IS NULL)",
               code_hash, now) == 1;
}

void burn_code(db::Transaction& transaction, const ValueHash& code_hash, util::Time now) {
    transaction.queue(
        "UPDATE authorization_codes SET burned_at = $2"
        " WHERE code_hash = $1 AND redeemed_at IS NULL AND burned_at IS NULL",
        code_hash, now);
}

std::optional<Grant> find_grant(db::Database& database, const GrantId& id) {
    auto row = database.query("SELECT " POSTERN_GRANT_COLUMNS " FROM grants g WHERE g.id = $1", id);
    if (!row.step()) return std::nullopt;
    Grant grant;
    row >> grant;
    return grant;
}

// `sid <> ''` is the condition of the partial index. Whole words are compared with replace() and not with LIKE, where
// `_` matches any character and SQLite ignores case: an operator's own scope could pass as offline_access.
#define POSTERN_ENDS_WITH_SESSION \
    " AND sid <> '' AND ended_at IS NULL AND replace(' ' || scope || ' ', ' offline_access ', '') = ' ' || scope || ' '"

std::int64_t end_grants_of_session(db::Transaction& transaction, const model::Sid& sid, util::Time now) {
    return transaction.run("UPDATE grants SET ended_at = $2, kept_until = $2 WHERE sid = $1" POSTERN_ENDS_WITH_SESSION,
                           sid, now);
}

std::map<model::Sid, std::int64_t> end_grants_of_sessions(db::Transaction& transaction, const model::Subject& subject,
                                                          util::Time now, const model::Sid& keep) {
    auto row = transaction.database().query(
        "UPDATE grants SET ended_at = $2, kept_until = $2 WHERE sid IN"
        " (SELECT s.sid FROM sessions s WHERE s.subject = $1 AND s.sid <> $3)" POSTERN_ENDS_WITH_SESSION
        " RETURNING sid",
        subject, now, keep);
    std::map<model::Sid, std::int64_t> ended;
    while (row.step()) ++ended[model::Sid(row.text(0))];
    return ended;
}

void end_surplus_grants(db::Transaction& transaction, const Grant& made, util::Time now) {
    // A look at 200 rows costs as much as half of a code, so it comes with each kGrantsAtOnce-th grant, and leaves room
    // for the others. CROSS JOIN keeps SQLite from beginning with the former ones.
    transaction.queue(
        "UPDATE grants SET ended_at = $2, kept_until = $2 WHERE id IN (SELECT former.id FROM grants made"
        " CROSS JOIN grants former WHERE made.id = $1 AND made.number % $3 = 0 AND former.subject = made.subject"
        " AND former.client_id = made.client_id AND former.ended_at IS NULL"
        " ORDER BY former.number DESC, former.id DESC LIMIT $4 OFFSET $5)",
        made.id, now, kGrantsAtOnce, kSurplusBatch, kMaxGrantsToClient - kGrantsAtOnce + 1);
}

std::int64_t end_grants_of(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject,
                           util::Time now) {
    return transaction.run(
        "UPDATE grants SET ended_at = $3, kept_until = $3"
        " WHERE client_id = $1 AND subject = $2 AND ended_at IS NULL",
        client, subject, now);
}

bool has_grants(db::Database& database, const model::ClientId& client) {
    return database.query("SELECT 1 FROM grants WHERE client_id = $1 AND ended_at IS NULL LIMIT 1", client).step();
}

std::int64_t end_grants_of(db::Transaction& transaction, const model::ClientId& client, util::Time now) {
    return transaction.run("UPDATE grants SET ended_at = $2, kept_until = $2 WHERE client_id = $1 AND ended_at IS NULL",
                           client, now);
}

bool end_grant(db::Transaction& transaction, const GrantId& id, util::Time now) {
    return transaction.run("UPDATE grants SET ended_at = $2, kept_until = $2 WHERE id = $1 AND ended_at IS NULL", id,
                           now) == 1;
}

}  // namespace postern::store
