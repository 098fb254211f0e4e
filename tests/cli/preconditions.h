// An installation in which users are logged in and have given clients something, for tests of what ends it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "db/database.h"
#include "installation.h"
#include "model/ids.h"
#include "model/user.h"
#include "store/passkeys.h"

namespace postern::test {

/// The moment at which everything was given; the clock of the command is the system's.
util::Time given_at();
/// Longer than the suite runs, also on a busy machine under a sanitizer: what is given so long does not expire in it.
inline constexpr util::Seconds kLonger{40000};

/// Runs `action(transaction)` in a transaction of its own.
template <class Action>
void write(db::Database& database, Action action) {
    db::Transaction transaction(database, db::Durability::full);
    action(transaction);
    transaction.commit();
}
template <class Action>
void write(const Installation& installation, Action action) {
    auto database = installation.open();
    write(database, action);
}

/// Adds a user as an operator does, and returns the subject.
model::Subject add_user(const Installation& installation, const std::string& name);

/// Returns the subject, "sub of <name>".
std::string put_user(const Installation& installation, const std::string& name);
void put_client(const Installation& installation, const std::string& id);

/// One grant with an authorization code, an access token and a refresh token, all of them active.
struct Given {
    std::string id;
    std::string client = "wiki";
    std::string user = "ada";  ///< "": the client on its own behalf
    std::string sid = "";
    std::string scope = "openid";
    util::Seconds ago{0};  ///< before given_at()
};
void put_grant(const Installation& installation, const Given& given);

/// A session, and a request that its user has logged in for and not answered.
void put_session(const Installation& installation, const std::string& sid, const std::string& user);

void put_consent(const Installation& installation, const std::string& client, const std::string& user,
                 const std::string& scope);

/// Users ada and bob, clients wiki and mail, and the grants "ada wiki", "ada mail", "bob wiki" (a day old each, in that
/// order a second apart) and "mail" of the client mail itself.
void put_sample(const Installation& installation);

/// The ids of grants that have not ended, in order, separated by commas.
std::string living_grants(const Installation& installation);

/// Returns the text that `tell` makes of each row that the command lists, in order, separated by commas.
std::string listed(const Installation& installation, std::vector<std::string> command,
                   const std::vector<std::string>& filter, const std::function<std::string(const json::Value&)>& tell);

/// Options that a command refuses, and what it exits with.
struct RefusedOptions {
    std::vector<std::string> options;
    int exit_code;
};
/// Each is refused with one line of plain text.
void check_refused(const Installation& installation, const std::vector<std::string>& command,
                   const std::vector<RefusedOptions>& rows);

/// Puts one session of that user, which is_logged_in finds while it lives.
void log_in(const Installation& installation, const model::Subject& subject);
bool is_logged_in(const Installation& installation);

/// Returns the user, who must be there.
model::User stored_user(const Installation& installation, const std::string& name);
std::string hash_of(const Installation& installation, const std::string& name);
/// Tells whether a login with that password would succeed.
bool opens_with(const Installation& installation, const std::string& name, const std::string& password);

/// Adds the user. The secret is sealed with the factor.key of the installation.
model::Subject put_app(const Installation& installation, const std::string& name);

/// Adds the user with a recovery code under the factor.key of the installation.
void put_codes(const Installation& installation, const std::string& name);

/// A passkey of that user for the host, which is the one of an Installation unless it is named.
void put_passkey(db::Transaction& transaction, const model::Subject& subject, const std::string& credential_id,
                 const std::string& rp_id = "id.example.org");

/// Returns the number of `SELECT count(*) FROM <rest>`.
std::int64_t count_rows(const Installation& installation, const std::string& rest);

}  // namespace postern::test
