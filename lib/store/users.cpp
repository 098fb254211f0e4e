// Decides how users are stored, and what ends when one of them changes.
#include "store/users.h"

#include <string>
#include <utility>

#include "json/reader.h"
#include "json/writer.h"
#include "model/mail.h"
#include "store/authorization_requests.h"
#include "store/login_attempts.h"
#include "store/logout_outbox.h"
#include "util/text.h"

namespace postern::store {
namespace {

using model::Subject;
using model::User;

// Our own text: written from claims that passed the default limits, and escaping may have made it longer.
constexpr json::Limits kClaimsLimits{.bytes = 1 << 20, .depth = 32, .nodes = 1 << 16};

json::Object parse_claims(const std::string& text) {
    auto value = json::parse(text, json::Dialect::strict, kClaimsLimits);
    json::Object* object = value ? value->if_object() : nullptr;
    if (!object) throw db::StoreError("users.claims holds something else than a JSON object");
    return std::move(*object);
}

/// The columns of `users`, in the order in which read_user reads them.
#define POSTERN_USER_COLUMNS "subject, username, claims, enabled, created_at, updated_at"
User read_user(db::Statement& row) {
    User user;
    std::string claims;
    row >> user.subject >> user.username >> claims >> user.enabled >> user.created_at >> user.updated_at;
    user.claims = parse_claims(claims);
    return user;
}

void read_listed(db::Statement& row, ListedUser& listed) {
    listed.user = read_user(row);
    row >> listed.origin.source >> listed.origin.left_at;
}

/// Kept by each statement that writes claims.
std::string email_key_of(const User& user) { return model::email_key(model::mail_address_of(user.claims)); }

std::optional<User> find_one(db::Statement row) {
    if (!row.step()) return std::nullopt;
    return read_user(row);
}

std::optional<std::string> find_name(db::Database& database, const model::Subject& subject, std::int64_t stamp) {
    auto row =
        database.query("SELECT username FROM users WHERE subject = $1 AND enabled = 1 AND stamp = $2", subject, stamp);
    if (!row.step()) return std::nullopt;
    return row.text(0);
}

}  // namespace

std::optional<User> find_user(db::Database& database, const Subject& subject) {
    return find_one(database.query("SELECT " POSTERN_USER_COLUMNS " FROM users WHERE subject = $1", subject));
}

std::optional<User> find_user_by_name(db::Database& database, std::string_view username) {
    return find_one(database.query("SELECT " POSTERN_USER_COLUMNS " FROM users WHERE username = $1", username));
}

std::optional<Subject> find_subject(db::Database& database, std::string_view username) {
    auto row = database.query("SELECT subject FROM users WHERE username = $1", username);
    if (!row.step()) return std::nullopt;
    return Subject(row.text(0));
}

std::vector<std::string> find_names_like(db::Database& database, std::string_view username) {
    auto rows =
        database.query("SELECT username FROM users WHERE lower(username) = $1 LIMIT 2", util::to_lower(username));
    std::vector<std::string> names;
    while (rows.step()) names.push_back(rows.text(0));
    return names;
}

json::Object find_claims(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT claims FROM users WHERE subject = $1", subject);
    return row.step() ? parse_claims(row.text(0)) : json::Object();
}

std::string find_username(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT username FROM users WHERE subject = $1", subject);
    return row.step() ? row.text(0) : std::string();
}

void lock_user(db::Transaction& transaction, const Subject& subject) {
    transaction.lock("SELECT 1 FROM users WHERE subject = $1 FOR NO KEY UPDATE", subject);
}

std::optional<User> find_user_to_change(db::Transaction& transaction, const Subject& subject) {
    lock_user(transaction, subject);
    return find_user(transaction.database(), subject);
}

std::optional<User> find_user_by_name_to_change(db::Transaction& transaction, std::string_view username) {
    transaction.lock("SELECT 1 FROM users WHERE username = $1 FOR NO KEY UPDATE", username);
    return find_user_by_name(transaction.database(), username);
}

std::string find_password_hash(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT password_hash FROM users WHERE subject = $1", subject);
    return row.step() ? row.text(0) : std::string();
}

StoredPassword find_password(db::Database& database, const Subject& subject) {
    auto row =
        database.query("SELECT password_hash, must_change_password, stamp FROM users WHERE subject = $1", subject);
    StoredPassword password;
    if (row.step()) row >> password.hash >> password.must_change >> password.stamp;
    return password;
}

PasswordState find_password_state(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT password_hash, password_changed_at FROM users WHERE subject = $1", subject);
    PasswordState state;
    if (!row.step()) return state;
    std::string hash;
    row >> hash >> state.changed_at;
    state.is_set = !hash.empty();
    return state;
}

std::string pick_password_hash(db::Database& database, std::string_view key) {
    // Subjects are random, so the first one after a random key is a random choice.
    auto next = database.query("SELECT password_hash FROM users WHERE subject >= $1 ORDER BY subject LIMIT 1", key);
    if (next.step()) return next.text(0);
    auto first = database.query("SELECT password_hash FROM users ORDER BY subject LIMIT 1");
    return first.step() ? first.text(0) : std::string();
}

Origin find_origin(db::Database& database, const Subject& subject) {
    auto row = database.query("SELECT source, left_at FROM users WHERE subject = $1", subject);
    Origin origin;
    if (row.step()) row >> origin.source >> origin.left_at;
    return origin;
}

void set_origin(db::Transaction& transaction, const Subject& subject, const Origin& origin) {
    transaction.run("UPDATE users SET source = $2, left_at = $3 WHERE subject = $1", subject, origin.source,
                    origin.left_at);
}

db::Rows<ListedUser> list_users(db::Database& database, db::Limit limit) {
    constexpr const char* kUsers =
        "SELECT " POSTERN_USER_COLUMNS ", source, left_at FROM users ORDER BY username LIMIT $1";
    return {database.list(kUsers, limit.rows), read_listed};
}

db::Rows<ListedUser> list_users_of_source(db::Database& database, const std::string& source) {
    constexpr const char* kUsers =
        "SELECT " POSTERN_USER_COLUMNS ", source, left_at FROM users WHERE source = $1 ORDER BY username";
    return {database.list(kUsers, source), read_listed};
}

bool insert_user(db::Transaction& transaction, const User& user, std::string_view password_hash,
                 MustChange must_change) {
    return transaction.run("INSERT INTO users (" POSTERN_USER_COLUMNS
                           ", password_hash, email_key, must_change_password, password_changed_at)"
                           " VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $5) ON CONFLICT (username) DO NOTHING",
                           user.subject, user.username, json::write(user.claims), user.enabled, user.created_at,
                           user.updated_at, password_hash, email_key_of(user), must_change == MustChange::yes) == 1;
}

bool update_user(db::Transaction& transaction, const User& user) {
    return transaction.run(
               "UPDATE users SET username = $2, claims = $3, enabled = $4, updated_at = $5, email_key = $6,"
               " left_at = CASE WHEN enabled = $4 THEN left_at END,"
               " stamp = CASE WHEN enabled = 1 AND $4 = 0 THEN stamp + 1 ELSE stamp END,"
               " enrol_until = CASE WHEN $4 = 0 THEN 0 ELSE enrol_until END WHERE subject = $1",
               user.subject, user.username, json::write(user.claims), user.enabled, user.updated_at,
               email_key_of(user)) == 1;
}

void update_claims(db::Transaction& transaction, const User& user) {
    transaction.run("UPDATE users SET claims = $2, updated_at = $3, email_key = $4 WHERE subject = $1", user.subject,
                    json::write(user.claims), user.updated_at, email_key_of(user));
}

void set_password_hash(db::Transaction& transaction, const Subject& subject, std::string_view hash, util::Time now,
                       MustChange must_change, CodeFailuresAfter failures) {
    transaction.run(
        "UPDATE users SET password_hash = $2, must_change_password = $3, password_changed_at = $4, stamp = stamp + 1,"
        " enrol_until = 0 WHERE subject = $1",
        subject, hash, must_change == MustChange::yes, now);
    if (failures == CodeFailuresAfter::none) clear_code_failures(transaction, subject);
}

std::optional<ToldClients> remove_user(db::Transaction& transaction, const Subject& subject, util::Time now,
                                       const LogoutNotices& notices) {
    if (notices.has_clients) lock_user(transaction, subject);
    clear_code_failures(transaction, subject);
    ToldClients told = tell_of_logout(transaction, notices, subject, {}, now);
    // The rest goes by foreign keys: memberships, sessions, requests, consents, grants, and their codes and tokens.
    if (transaction.run("DELETE FROM users WHERE subject = $1", subject) == 0) return std::nullopt;
    return told;
}

ToldClients replace_password(db::Transaction& transaction, const Subject& subject, std::string_view hash,
                             util::Time now, const LogoutNotices& notices, MustChange must_change,
                             CodeFailuresAfter failures, const model::Sid& made_anew) {
    set_password_hash(transaction, subject, hash, now, must_change, failures);
    return end_user_access(transaction, subject, now, notices, made_anew);
}

ToldClients end_user_access(db::Transaction& transaction, const Subject& subject, util::Time now,
                            const LogoutNotices& notices, const model::Sid& made_anew) {
    if (notices.has_clients) lock_user(transaction, subject);
    ToldClients told = tell_of_logout(transaction, notices, subject, {.keep = made_anew}, now);
    // In the order in which they arise: sessions, requests made in them, grants.
    transaction.queue("DELETE FROM sessions WHERE subject = $1", subject);
    end_open_requests(transaction, subject);
    transaction.queue("UPDATE grants SET ended_at = $2, kept_until = $2 WHERE subject = $1 AND ended_at IS NULL",
                      subject, now);
    return told;
}

bool is_user_unchanged(db::Database& database, const model::Subject& subject, std::int64_t stamp) {
    return find_name(database, subject, stamp).has_value();
}

std::optional<std::string> find_unchanged_user(db::Transaction& transaction, const model::Subject& subject,
                                               std::int64_t stamp) {
    lock_user(transaction, subject);
    return find_name(transaction.database(), subject, stamp);
}

}  // namespace postern::store
