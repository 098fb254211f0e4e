// Decides how people who can log in are kept, and what ends when one of them changes.
#include "store/users.h"

#include <string>
#include <utility>

#include "json/reader.h"
#include "json/writer.h"
#include "store/authorization_requests.h"
#include "store/columns.h"

namespace postern::store {
namespace {

using model::Subject;
using model::User;

// Our own text: written from claims that passed the default limits, and escaping may have made it longer.
constexpr json::Limits kClaimsLimits{.bytes = 1 << 20, .depth = 32, .nodes = 1 << 16};

json::Object parse_claims(const std::string& text) {
    auto value = json::parse(text, json::Dialect::strict, kClaimsLimits);
    const json::Object* object = value ? value->if_object() : nullptr;
    if (!object) throw db::StoreError("users.claims holds something else than a JSON object");
    return *object;
}

User user_at(const db::Statement& row) {
    User user;
    user.subject = Subject(row.text(0));
    user.username = row.text(1);
    user.password_hash = row.text(2);
    user.claims = parse_claims(row.text(3));
    user.enabled = row.integer(4) != 0;
    user.created_at = time_at(row, 5);
    user.updated_at = time_at(row, 6);
    return user;
}

/// $1 to $6.
db::Statement& bind_user(db::Statement& statement, const User& user) {
    return statement.bind(1, user.subject.str())
        .bind(2, user.username)
        .bind(3, user.password_hash)
        .bind(4, json::write(user.claims))
        .bind(5, flag(user.enabled))
        .bind(6, util::to_epoch(user.updated_at));
}

std::optional<User> find_one(db::Statement row) {
    if (!row.step()) return std::nullopt;
    return user_at(row);
}

}  // namespace

std::optional<User> find_user(db::Database& database, const Subject& subject) {
    auto row = database.prepare(
        "SELECT subject, username, password_hash, claims, enabled, created_at, updated_at"
        " FROM users WHERE subject = $1");
    row.bind(1, subject.str());
    return find_one(std::move(row));
}

std::optional<User> find_user_by_name(db::Database& database, std::string_view username) {
    auto row = database.prepare(
        "SELECT subject, username, password_hash, claims, enabled, created_at, updated_at"
        " FROM users WHERE username = $1");
    row.bind(1, username);
    return find_one(std::move(row));
}

std::string pick_password_hash(db::Database& database, std::string_view key) {
    // Subjects are random, so the next one behind a random key is anybody.
    auto next = database.prepare("SELECT password_hash FROM users WHERE subject >= $1 ORDER BY subject LIMIT 1");
    if (next.bind(1, key).step()) return next.text(0);
    auto first = database.prepare("SELECT password_hash FROM users ORDER BY subject LIMIT 1");
    return first.step() ? first.text(0) : std::string();
}

std::vector<User> list_users(db::Database& database) {
    auto rows = database.prepare(
        "SELECT subject, username, password_hash, claims, enabled, created_at, updated_at"
        " FROM users ORDER BY username");
    std::vector<User> users;
    while (rows.step()) users.push_back(user_at(rows));
    return users;
}

bool insert_user(db::Transaction& transaction, const User& user) {
    auto insert = transaction.database().prepare(
        "INSERT INTO users (subject, username, password_hash, claims, enabled, updated_at, created_at)"
        " VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (username) DO NOTHING");
    return bind_user(insert, user).bind(7, util::to_epoch(user.created_at)).execute() == 1;
}

bool update_user(db::Transaction& transaction, const User& user) {
    auto update = transaction.database().prepare(
        "UPDATE users SET username = $2, password_hash = $3, claims = $4, enabled = $5, updated_at = $6"
        " WHERE subject = $1");
    return bind_user(update, user).execute() == 1;
}

bool remove_user(db::Transaction& transaction, const Subject& subject) {
    // The rest goes by foreign keys: sessions, requests, consents, grants, and their codes and tokens.
    return transaction.database().prepare("DELETE FROM users WHERE subject = $1").bind(1, subject.str()).execute() == 1;
}

void end_user_access(db::Transaction& transaction, const Subject& subject, util::Time now) {
    auto& database = transaction.database();
    // Sessions first and what they were about to give with them, then what they gave: the way it came about.
    database.prepare("DELETE FROM sessions WHERE subject = $1").bind(1, subject.str()).execute();
    end_open_requests(transaction, subject);
    database.prepare("UPDATE grants SET ended_at = $2, kept_until = $2 WHERE subject = $1 AND ended_at IS NULL")
        .bind(1, subject.str())
        .bind(2, util::to_epoch(now))
        .execute();
}

}  // namespace postern::store
