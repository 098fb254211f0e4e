// Table `users`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/ids.h"
#include "model/user.h"
#include "store/logout_outbox.h"

namespace postern::store {

std::optional<model::User> find_user(db::Database& database, const model::Subject& subject);
/// Finds the user for a transaction whose writes rest on what it reads: no other one changes the user meanwhile.
std::optional<model::User> find_user_to_change(db::Transaction& transaction, const model::Subject& subject);
std::optional<model::User> find_user_by_name(db::Database& database, std::string_view username);
std::optional<model::User> find_user_by_name_to_change(db::Transaction& transaction, std::string_view username);
/// Finds the subject alone, for a program that reads no more of a user.
std::optional<model::Subject> find_subject(db::Database& database, std::string_view username);
/// Returns at most two names that differ from `username` in the case of the letters A to Z at most, `username` itself
/// too.
std::vector<std::string> find_names_like(db::Database& database, std::string_view username);
/// Returns the name of the user; "" when there is no such user. A program that shows a name has no right to read
/// claims.
std::string find_username(db::Database& database, const model::Subject& subject);
/// Returns the claims of the user, which are empty when there is no such user.
json::Object find_claims(db::Database& database, const model::Subject& subject);
/// Lets transactions of this user wait for each other: those that begin or end a session, a consent or a grant.
void lock_user(db::Transaction& transaction, const model::Subject& subject);
/// Returns the hash for crypt(5); "" when the user cannot log in with a password, or when there is no such user.
std::string find_password_hash(db::Database& database, const model::Subject& subject);
struct StoredPassword {
    std::string hash;          ///< as find_password_hash has it
    bool must_change = false;  ///< a login by it begins with another one (PASSWORD-5)
    std::int64_t stamp = 0;    ///< users.stamp, of the same moment
};
StoredPassword find_password(db::Database& database, const model::Subject& subject);
struct PasswordState {
    bool is_set = false;
    std::optional<util::Time> changed_at;  ///< nullopt: before this server kept the time
};
PasswordState find_password_state(db::Database& database, const model::Subject& subject);
/// Returns the password hash of a random user, determined by `key`, which looks like a subject: the same hash as long
/// as the users are the same. "" when there is no user or the user has no hash.
std::string pick_password_hash(db::Database& database, std::string_view key);
/// The source of a user, which the command alone reads.
struct Origin {
    std::string source;                 ///< whose file has the user (`user import --sync`); "": none
    std::optional<util::Time> left_at;  ///< disabled since then, because that file had the user no more
};
Origin find_origin(db::Database& database, const model::Subject& subject);
void set_origin(db::Transaction& transaction, const model::Subject& subject, const Origin& origin);

struct ListedUser {
    model::User user;
    Origin origin;
};
db::Rows<ListedUser> list_users(db::Database& database, db::Limit limit = {});                 ///< by username
db::Rows<ListedUser> list_users_of_source(db::Database& database, const std::string& source);  ///< by username

/// Says whether a user who logs in with that password has to choose another one first.
enum class MustChange { no, yes };
/// Inserts the user; false when the username is taken. Without a hash the user cannot log in with a password.
bool insert_user(db::Transaction& transaction, const model::User& user, std::string_view password_hash = "",
                 MustChange must_change = MustChange::no);
/// Replaces username, claims, enabled and updated_at. Another `enabled` ends what `left_at` says. False when there is
/// no such subject.
bool update_user(db::Transaction& transaction, const model::User& user);
/// Replaces claims and updated_at alone, as a login does that brings claims along.
void update_claims(db::Transaction& transaction, const model::User& user);
/// The effect of a new password on codes that failed before it (store/login_attempts.h).
enum class CodeFailuresAfter {
    none,  ///< they are forgotten: the owner has proved more than the password, or the operator knows the owner
    same,  ///< they count on: the password came by mail, and a thief of the mailbox must not have more tries for it
};
/// Replaces the password and raises the stamp (store/factors.h), as disabling does.
void set_password_hash(db::Transaction& transaction, const model::Subject& subject, std::string_view hash,
                       util::Time now, MustChange must_change = MustChange::no,
                       CodeFailuresAfter failures = CodeFailuresAfter::none);
/// Deletes the user with everything under it (sessions, grants, codes, tokens, consents). Returns the clients that will
/// be told of it; nullopt: there is no such user.
std::optional<ToldClients> remove_user(db::Transaction& transaction, const model::Subject& subject, util::Time now,
                                       const LogoutNotices& notices);
/// Replaces the password and ends what the old one has given: end_user_access.
ToldClients replace_password(db::Transaction& transaction, const model::Subject& subject, std::string_view hash,
                             util::Time now, const LogoutNotices& notices, MustChange must_change = MustChange::no,
                             CodeFailuresAfter failures = CodeFailuresAfter::none, const model::Sid& made_anew = {});
/// Ends the user's sessions, unanswered authorization requests and grants: after a password change or when the user is
/// disabled. Returns the clients that will be told of it: not those of the session that the transaction makes anew.
ToldClients end_user_access(db::Transaction& transaction, const model::Subject& subject, util::Time now,
                            const LogoutNotices& notices, const model::Sid& made_anew = {});

/// Returns whether the user exists, is enabled and still has that stamp.
bool is_user_unchanged(db::Database& database, const model::Subject& subject, std::int64_t stamp);

/// Returns the name of the user, who exists, is enabled and still has that stamp, and holds the row until the
/// transaction ends. nullopt for any other user. One statement behind the lock, because each is a round trip to a
/// server.
std::optional<std::string> find_unchanged_user(db::Transaction& transaction, const model::Subject& subject,
                                               std::int64_t stamp);

}  // namespace postern::store
