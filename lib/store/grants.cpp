// Decides who gets the one use of an authorization code, and when everything a grant yielded is over (RFC 6749 §4.1.2).
#include "store/grants.h"

#include "store/columns.h"

namespace postern::store {
namespace {

using model::AuthorizationCode;
using model::Grant;
using model::GrantId;
using model::ValueHash;

std::optional<std::string> subject_of(const Grant& grant) {
    if (grant.subject.empty()) return std::nullopt;  // no user: RFC 6749 §4.4
    return grant.subject.str();
}

std::optional<std::int64_t> seconds_of(const std::optional<util::Seconds>& duration) {
    if (!duration) return std::nullopt;
    return duration->count();
}

AuthorizationCode code_at(const db::Statement& row) {
    AuthorizationCode code;
    code.code_hash = ValueHash(row.text(0));
    code.grant_id = GrantId(row.text(1));
    code.redirect_uri = row.text(2);
    code.redirect_uri_sent = row.integer(3) != 0;
    code.nonce = row.optional_text(4);
    code.code_challenge = row.optional_text(5);
    if (const auto seconds = row.optional_integer(6)) code.max_age = util::Seconds(*seconds);
    code.audience = row.optional_text(7);
    code.expires_at = time_at(row, 8);
    code.redeemed_at = optional_time_at(row, 9);
    code.burned_at = optional_time_at(row, 10);
    return code;
}

}  // namespace

void insert_grant(db::Transaction& transaction, const Grant& grant, util::Time until) {
    transaction.database()
        .prepare(
            "INSERT INTO grants (id, client_id, subject, scope, auth_time, sid, created_at, ended_at, kept_until,"
            " userinfo_claims, id_token_claims)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, max($7, $11), $9, $10)")
        .bind(1, grant.id.str())
        .bind(2, grant.client_id.str())
        .bind(3, subject_of(grant))
        .bind(4, grant.scope.to_string())
        .bind(5, util::to_epoch(grant.auth_time))
        .bind(6, grant.sid.str())
        .bind(7, util::to_epoch(grant.created_at))
        .bind(8, epoch(grant.ended_at))
        .bind(9, model::to_string(grant.claims.userinfo))
        .bind(10, model::to_string(grant.claims.id_token))
        .bind(11, util::to_epoch(until))
        .execute();
}

void keep_grant(db::Transaction& transaction, const GrantId& id, util::Time until) {
    transaction.database()
        .prepare("UPDATE grants SET kept_until = $2 WHERE id = $1 AND kept_until < $2 AND ended_at IS NULL")
        .bind(1, id.str())
        .bind(2, util::to_epoch(until))
        .execute();
}

void insert_code(db::Transaction& transaction, const AuthorizationCode& code) {
    transaction.database()
        .prepare(
            "INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, redirect_uri_sent, nonce,"
            " code_challenge, max_age, audience, expires_at, redeemed_at, burned_at)"
            " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)")
        .bind(1, code.code_hash.str())
        .bind(2, code.grant_id.str())
        .bind(3, code.redirect_uri)
        .bind(4, flag(code.redirect_uri_sent))
        .bind(5, code.nonce)
        .bind(6, code.code_challenge)
        .bind(7, seconds_of(code.max_age))
        .bind(8, code.audience)
        .bind(9, util::to_epoch(code.expires_at))
        .bind(10, epoch(code.redeemed_at))
        .bind(11, epoch(code.burned_at))
        .execute();
    keep_grant(transaction, code.grant_id, code.expires_at);
}

std::optional<StoredCode> find_code(db::Database& database, const ValueHash& code_hash) {
    auto row = database.prepare(
        "SELECT c.code_hash, c.grant_id, c.redirect_uri, c.redirect_uri_sent, c.nonce, c.code_challenge, c.max_age,"
        " c.audience, c.expires_at, c.redeemed_at, c.burned_at," POSTERN_GRANT_COLUMNS
        " FROM authorization_codes c JOIN grants g ON g.id = c.grant_id WHERE c.code_hash = $1");
    if (!row.bind(1, code_hash.str()).step()) return std::nullopt;
    return StoredCode{code_at(row), grant_at(row, 11)};
}

bool redeem_code(db::Transaction& transaction, const ValueHash& code_hash, util::Time now) {
    // One statement decides; whoever changes no row came second.
    return transaction.database()
               .prepare(
                   "UPDATE authorization_codes SET redeemed_at = $2"
                   " WHERE code_hash = $1 AND redeemed_at IS NULL AND burned_at IS NULL"
                   " AND EXISTS (SELECT 1 FROM grants g"
                   " WHERE g.id = authorization_codes.grant_id AND g.ended_at IS NULL)")
               .bind(1, code_hash.str())
               .bind(2, util::to_epoch(now))
               .execute() == 1;
}

void burn_code(db::Transaction& transaction, const ValueHash& code_hash, util::Time now) {
    transaction.database()
        .prepare(
            "UPDATE authorization_codes SET burned_at = $2"
            " WHERE code_hash = $1 AND redeemed_at IS NULL AND burned_at IS NULL")
        .bind(1, code_hash.str())
        .bind(2, util::to_epoch(now))
        .execute();
}

std::optional<Grant> find_grant(db::Database& database, const GrantId& id) {
    auto row = database.prepare("SELECT " POSTERN_GRANT_COLUMNS " FROM grants g WHERE g.id = $1");
    if (!row.bind(1, id.str()).step()) return std::nullopt;
    return grant_at(row, 0);
}

std::int64_t end_grants_of_session(db::Transaction& transaction, const model::Sid& sid, util::Time now) {
    // sid <> '': of a session, as the index's are. Not LIKE, to which `_` is any character and, in SQLite, `A` is `a`:
    // a scope of the operator's own would pass.
    return transaction.database()
        .prepare(
            "UPDATE grants SET ended_at = $2, kept_until = $2 WHERE sid = $1 AND sid <> '' AND ended_at IS NULL"
            " AND replace(' ' || scope || ' ', ' offline_access ', '') = ' ' || scope || ' '")
        .bind(1, sid.str())
        .bind(2, util::to_epoch(now))
        .execute();
}

std::int64_t end_grants_of(db::Transaction& transaction, const model::ClientId& client, const model::Subject& subject,
                           util::Time now) {
    return transaction.database()
        .prepare(
            "UPDATE grants SET ended_at = $3, kept_until = $3 WHERE client_id = $1 AND subject = $2 AND ended_at IS "
            "NULL")
        .bind(1, client.str())
        .bind(2, subject.str())
        .bind(3, util::to_epoch(now))
        .execute();
}

bool end_grant(db::Transaction& transaction, const GrantId& id, util::Time now) {
    return transaction.database()
               .prepare("UPDATE grants SET ended_at = $2, kept_until = $2 WHERE id = $1 AND ended_at IS NULL")
               .bind(1, id.str())
               .bind(2, util::to_epoch(now))
               .execute() == 1;
}

}  // namespace postern::store
