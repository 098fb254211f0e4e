// Decides how second factors are stored, and that each code counts once.
#include "store/factors.h"

#include "store/columns.h"

namespace postern::store {
namespace {

using model::Subject;

/// The name of the key with which a hash begins (factor::kCodeKeyNameSize).
#define POSTERN_KEY_NAME "substr(code_hash, 1, 17)"

#define POSTERN_TOTP_COLUMNS "sealed, last_step, created_at, last_used_at"
TotpRow read_totp(db::Statement& row) {
    TotpRow totp;
    row >> totp.sealed >> totp.last_step >> totp.created_at >> totp.last_used_at;
    return totp;
}

}  // namespace

Factors find_factors(db::Database& database, const Subject& subject) {
    auto row = database.query(
        "SELECT (SELECT count(*) FROM totp_secrets WHERE subject = $1),"
        " (SELECT count(*) FROM recovery_codes WHERE subject = $1 AND used_at IS NULL),"
        " (SELECT count(*) FROM passkeys WHERE subject = $1)",
        subject);
    if (!row.step()) throw db::StoreError("a count has no row");
    std::int64_t apps = 0;
    Factors factors;
    row >> apps >> factors.unused_codes >> factors.passkeys;
    factors.app = apps > 0;
    return factors;
}

std::optional<TotpRow> find_totp(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT " POSTERN_TOTP_COLUMNS " FROM totp_secrets WHERE subject = $1", subject);
    if (!row.step()) return std::nullopt;
    return read_totp(row);
}

std::vector<OwnedTotp> list_totp(db::Database& database, const Subject& after, std::int64_t rows) {
    auto row = database.query("SELECT subject, " POSTERN_TOTP_COLUMNS
                              " FROM totp_secrets WHERE subject > $1 ORDER BY subject LIMIT $2",
                              after, rows);
    std::vector<OwnedTotp> list;
    while (row.step()) {
        OwnedTotp owned;
        row >> owned.subject;
        owned.totp = read_totp(row);
        list.push_back(std::move(owned));
    }
    return list;
}

bool reseal_totp(db::Transaction& transaction, const Subject& subject, std::string_view from, std::string_view to) {
    return transaction.run("UPDATE totp_secrets SET sealed = $3 WHERE subject = $1 AND sealed = $2", subject, from,
                           to) == 1;
}

void replace_totp(db::Transaction& transaction, const Subject& subject, std::string_view sealed, std::int64_t step,
                  util::Time now) {
    transaction.run("INSERT INTO totp_secrets (subject, " POSTERN_TOTP_COLUMNS
                    ") VALUES ($1, $2, $3, $4, NULL) ON CONFLICT (subject) DO UPDATE SET sealed = excluded.sealed,"
                    " last_step = excluded.last_step, created_at = excluded.created_at, last_used_at = NULL",
                    subject, sealed, step, now);
}

bool remove_totp(db::Transaction& transaction, const Subject& subject) {
    return transaction.run("DELETE FROM totp_secrets WHERE subject = $1", subject) == 1;
}

bool spend_totp_step(db::Transaction& transaction, const Subject& subject, std::int64_t step, util::Time now) {
    return transaction.run(
               "UPDATE totp_secrets SET last_step = $2, last_used_at = $3 WHERE subject = $1 AND last_step < $2",
               subject, step, now) == 1;
}

void replace_recovery_codes(db::Transaction& transaction, const Subject& subject,
                            const std::vector<std::string>& hashes, util::Time now) {
    transaction.run("DELETE FROM recovery_codes WHERE subject = $1", subject);
    for (const std::string& hash : hashes)
        transaction.run("INSERT INTO recovery_codes (subject, code_hash, made_at, used_at) VALUES ($1, $2, $3, NULL)",
                        subject, hash, now);
}

bool has_unused_codes(db::Database& database) {
    return database.query("SELECT 1 FROM recovery_codes WHERE used_at IS NULL LIMIT 1").step();
}

bool has_unused_code(db::Database& database, const Subject& subject, std::string_view hash) {
    return database
        .query("SELECT 1 FROM recovery_codes WHERE subject = $1 AND code_hash = $2 AND used_at IS NULL", subject, hash)
        .step();
}

bool has_unused_code_under(db::Database& database, const Subject& subject, std::string_view key_name) {
    return database
        .query(
            "SELECT 1 FROM recovery_codes WHERE subject = $1 AND used_at IS NULL"
            " AND " POSTERN_KEY_NAME " = $2",
            subject, key_name)
        .step();
}

bool spend_recovery_code(db::Transaction& transaction, const Subject& subject, std::string_view hash, util::Time now) {
    return transaction.run(
               "UPDATE recovery_codes SET used_at = $3 WHERE subject = $1 AND code_hash = $2 AND used_at IS NULL",
               subject, hash, now) == 1;
}

std::int64_t remove_recovery_codes(db::Transaction& transaction, const Subject& subject) {
    return transaction.run("DELETE FROM recovery_codes WHERE subject = $1", subject);
}

std::int64_t remove_dead_recovery_codes(db::Transaction& transaction, std::string_view key_name) {
    return transaction.run("DELETE FROM recovery_codes WHERE " POSTERN_KEY_NAME " <> $1", key_name);
}

std::int64_t find_stamp(db::Database& database, const Subject& subject) {
    return number_of(database.query("SELECT stamp FROM users WHERE subject = $1", subject));
}

void raise_stamp(db::Transaction& transaction, const Subject& subject) {
    transaction.run("UPDATE users SET stamp = stamp + 1, enrol_until = 0 WHERE subject = $1", subject);
}

}  // namespace postern::store
