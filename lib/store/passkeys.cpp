// Decides how passkeys are stored, that a counter goes upwards, and that a challenge counts once.
#include "store/passkeys.h"

#include "crypto/digest.h"
#include "util/base64.h"

namespace postern::store {
namespace {

using model::Subject;
using util::base64url_encode;

#define POSTERN_PASSKEY_COLUMNS                                                                           \
    "credential_id, subject, rp_id, cose_key, alg, sign_count, backup_eligible, backed_up, discoverable," \
    " transports, aaguid, name, created_at, last_used_at, suspended_at"

std::string bytes_of(std::string_view stored) {
    auto bytes = util::base64url_decode(stored);
    if (!bytes) throw db::StoreError("passkeys: a value is not in base64url");
    return std::move(*bytes);
}

Passkey read_passkey(db::Statement& row) {
    Passkey passkey;
    row >> passkey.credential_id >> passkey.subject >> passkey.rp_id >> passkey.cose_key >> passkey.alg >>
        passkey.sign_count >> passkey.backup_eligible >> passkey.backed_up >> passkey.discoverable >>
        passkey.transports >> passkey.aaguid >> passkey.name >> passkey.created_at >> passkey.last_used_at >>
        passkey.suspended_at;
    for (std::string* value : {&passkey.credential_id, &passkey.cose_key, &passkey.aaguid}) *value = bytes_of(*value);
    return passkey;
}

}  // namespace

std::vector<Passkey> list_passkeys(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT " POSTERN_PASSKEY_COLUMNS
                              " FROM passkeys WHERE subject = $1 ORDER BY created_at, credential_id",
                              subject);
    std::vector<Passkey> passkeys;
    while (row.step()) passkeys.push_back(read_passkey(row));
    return passkeys;
}

std::optional<Passkey> find_passkey(db::Database& database, std::string_view credential_id) {
    auto row = database.query("SELECT " POSTERN_PASSKEY_COLUMNS " FROM passkeys WHERE credential_id = $1",
                              base64url_encode(credential_id));
    if (!row.step()) return std::nullopt;
    return read_passkey(row);
}

bool insert_passkey(db::Transaction& transaction, const Passkey& passkey) {
    return transaction.run("INSERT INTO passkeys (" POSTERN_PASSKEY_COLUMNS
                           ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)"
                           " ON CONFLICT DO NOTHING",
                           base64url_encode(passkey.credential_id), passkey.subject, passkey.rp_id,
                           base64url_encode(passkey.cose_key), passkey.alg, passkey.sign_count, passkey.backup_eligible,
                           passkey.backed_up, passkey.discoverable, passkey.transports,
                           base64url_encode(passkey.aaguid), passkey.name, passkey.created_at, passkey.last_used_at,
                           passkey.suspended_at) == 1;
}

bool remove_passkey(db::Transaction& transaction, const Subject& subject, std::string_view credential_id) {
    return transaction.run("DELETE FROM passkeys WHERE credential_id = $1 AND subject = $2",
                           base64url_encode(credential_id), subject) == 1;
}

bool rename_passkey(db::Transaction& transaction, const Subject& subject, std::string_view credential_id,
                    std::string_view name) {
    return transaction.run("UPDATE passkeys SET name = $3 WHERE credential_id = $1 AND subject = $2",
                           base64url_encode(credential_id), subject, name) == 1;
}

std::vector<std::string> passkey_ids(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT credential_id FROM passkeys WHERE subject = $1 ORDER BY credential_id", subject);
    std::vector<std::string> ids;
    while (row.step()) ids.push_back(bytes_of(row.text(0)));
    return ids;
}

std::int64_t remove_passkeys(db::Transaction& transaction, const Subject& subject) {
    return transaction.run("DELETE FROM passkeys WHERE subject = $1", subject);
}

bool use_passkey(db::Transaction& transaction, std::string_view credential_id, std::int64_t sign_count,
                 bool backup_eligible, bool backed_up, util::Time now) {
    return transaction.run(
               "UPDATE passkeys SET sign_count = $2, backup_eligible = $3, backed_up = $4, last_used_at = $5"
               " WHERE credential_id = $1 AND suspended_at IS NULL"
               " AND (sign_count < $2 OR (sign_count = 0 AND $2 = 0))",
               base64url_encode(credential_id), sign_count, backup_eligible, backed_up, now) == 1;
}

void suspend_passkey(db::Transaction& transaction, std::string_view credential_id, util::Time now) {
    transaction.run("UPDATE passkeys SET suspended_at = $2 WHERE credential_id = $1 AND suspended_at IS NULL",
                    base64url_encode(credential_id), now);
}

bool resume_passkey(db::Transaction& transaction, const Subject& subject, std::string_view credential_id) {
    return transaction.run(
               "UPDATE passkeys SET suspended_at = NULL"
               " WHERE credential_id = $1 AND subject = $2 AND suspended_at IS NOT NULL",
               base64url_encode(credential_id), subject) == 1;
}

std::string find_handle(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT handle FROM users WHERE subject = $1", subject);
    return row.step() ? bytes_of(row.text(0)) : "";
}

bool set_handle_if_unset(db::Transaction& transaction, const Subject& subject, std::string_view handle) {
    return transaction.run("UPDATE users SET handle = $2 WHERE subject = $1 AND handle IN ('', $2)", subject,
                           base64url_encode(handle)) == 1;
}

bool spend_challenge(db::Transaction& transaction, std::string_view challenge, util::Time expires_at) {
    return transaction.run(
               "INSERT INTO spent_challenges (challenge_hash, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
               crypto::sha256_hex(challenge), expires_at) == 1;
}

}  // namespace postern::store
