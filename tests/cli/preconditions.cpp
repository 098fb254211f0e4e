// Puts users, clients, grants and sessions into an installation, as the endpoints would.
#include "preconditions.h"

#include <doctest/doctest.h>

#include "crypto/password.h"
#include "factor/totp.h"
#include "factor/typed_code.h"
#include "keys/keys.h"
#include "store/access_tokens.h"
#include "store/authorization_requests.h"
#include "store/clients.h"
#include "store/consents.h"
#include "store/factors.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"
#include "store/sessions.h"
#include "store/token_list.h"
#include "store/users.h"

namespace postern::test {
namespace {

model::Subject subject_of(const std::string& name) { return model::Subject(name.empty() ? "" : "sub of " + name); }

}  // namespace

util::Time given_at() {
    static const util::Time time = util::SystemClock().now();
    return time;
}

model::Subject add_user(const Installation& installation, const std::string& name) {
    return model::Subject(
        text_of(installation.must_json({"user", "add", name, "--password-stdin"}, "quiet boats remember\n"), "sub"));
}

std::string put_user(const Installation& installation, const std::string& name) {
    model::User user;
    user.subject = subject_of(name);
    user.username = name;
    user.created_at = user.updated_at = given_at();
    write(installation, [&](db::Transaction& transaction) { REQUIRE(store::insert_user(transaction, user)); });
    return user.subject.str();
}

void put_client(const Installation& installation, const std::string& id) {
    model::Client client;
    client.id = model::ClientId(id);
    client.name = id;
    client.grants = {model::GrantType::authorization_code, model::GrantType::refresh_token};
    client.redirect_uris = {"https://" + id + ".example/cb"};
    client.created_at = given_at();
    write(installation, [&](db::Transaction& transaction) { REQUIRE(store::insert_client(transaction, client)); });
}

void put_grant(const Installation& installation, const Given& given) {
    model::Grant grant;
    grant.id = model::GrantId(given.id);
    grant.client_id = model::ClientId(given.client);
    grant.subject = subject_of(given.user);
    grant.scope = *model::Scope::parse(given.scope);
    grant.sid = model::Sid(given.sid);
    grant.auth_time = grant.created_at = given_at() - given.ago;

    model::AuthorizationCode code;
    code.code_hash = model::ValueHash("hash of code " + given.id);
    code.grant_id = grant.id;
    code.redirect_uri = "https://client.example/cb";
    code.expires_at = given_at() + kLonger;

    model::AccessToken access;
    access.token_hash = model::ValueHash("hash of access token " + given.id);
    access.jti = given.id + ".random";
    access.grant_id = grant.id;
    access.scope = grant.scope;
    access.issued_at = given_at();
    access.expires_at = given_at() + kLonger;

    model::RefreshToken refresh;
    refresh.token_hash = model::ValueHash("hash of refresh token " + given.id);
    refresh.grant_id = grant.id;
    refresh.issued_at = grant.created_at;
    refresh.expires_at = grant.created_at + util::Seconds{30 * 86400};

    write(installation, [&](db::Transaction& transaction) {
        store::insert_grant(transaction, grant);
        store::insert_code(transaction, code);
        store::insert_access_token(transaction, access);
        store::insert_refresh_token(transaction, refresh);
    });
}

void put_session(const Installation& installation, const std::string& sid, const std::string& user) {
    model::Session session;
    session.cookie_hash = model::ValueHash("hash of cookie " + sid);
    session.sid = model::Sid(sid);
    session.subject = subject_of(user);
    session.auth_time = given_at() - util::Seconds{30};
    session.created_at = given_at() - util::Seconds{30};
    session.last_seen_at = given_at() - util::Seconds{20};
    session.expires_at = given_at() + kLonger;
    write(installation, [&](db::Transaction& transaction) {
        store::insert_session(transaction, session);
        store::record_login(transaction, model::RequestKey("request of " + sid), session.subject, session.expires_at);
    });
}

void put_consent(const Installation& installation, const std::string& client, const std::string& user,
                 const std::string& scope) {
    write(installation, [&](db::Transaction& transaction) {
        store::save_consent(
            transaction,
            {model::ClientId(client), subject_of(user), *model::Scope::parse(scope), given_at(), {"phone_number"}});
    });
}

void put_sample(const Installation& installation) {
    for (const char* name : {"ada", "bob"}) put_user(installation, name);
    for (const char* id : {"wiki", "mail"}) put_client(installation, id);
    const util::Seconds day{86400};
    put_grant(installation, {.id = "ada wiki", .client = "wiki", .user = "ada", .ago = day});
    put_grant(installation, {.id = "ada mail", .client = "mail", .user = "ada", .ago = day - util::Seconds{1}});
    put_grant(installation, {.id = "bob wiki", .client = "wiki", .user = "bob", .ago = day - util::Seconds{2}});
    put_grant(installation, {.id = "mail", .client = "mail", .user = ""});
}

std::string living_grants(const Installation& installation) {
    auto database = installation.open();
    std::string ids;
    for (const auto& id : store::find_living_grants(database, {})) ids += (ids.empty() ? "" : ",") + id.str();
    return ids;
}

std::string listed(const Installation& installation, std::vector<std::string> command,
                   const std::vector<std::string>& filter, const std::function<std::string(const json::Value&)>& tell) {
    const auto rows = installation.must_json(joined(std::move(command), filter));
    REQUIRE(rows.if_array());
    std::string text;
    for (const auto& row : *rows.if_array()) text += (text.empty() ? "" : ",") + tell(row);
    return text;
}

void check_refused(const Installation& installation, const std::vector<std::string>& command,
                   const std::vector<RefusedOptions>& rows) {
    for (const auto& row : rows) {
        const auto result = installation.postern(joined(command, row.options));
        CAPTURE(result.err);
        CHECK(result.exit_code == row.exit_code);
        CHECK(result.out.empty());
        CHECK(is_one_plain_line(result.err));
    }
}

namespace {

const model::ValueHash kCookie{std::string(64, 'a')};

}  // namespace

void log_in(const Installation& installation, const model::Subject& subject) {
    model::Session session;
    session.cookie_hash = kCookie;
    session.sid = model::Sid("sid");
    session.subject = subject;
    session.auth_time = session.created_at = session.last_seen_at = given_at();
    session.expires_at = given_at() + kLonger;
    write(installation, [&](db::Transaction& transaction) { store::insert_session(transaction, session); });
}

bool is_logged_in(const Installation& installation) {
    auto database = installation.open();
    return store::find_session(database, kCookie, {given_at(), given_at() - kLonger}).has_value();
}

model::User stored_user(const Installation& installation, const std::string& name) {
    auto database = installation.open();
    auto user = store::find_user_by_name(database, name);
    CAPTURE(name);
    REQUIRE(user);
    return *user;
}

std::string hash_of(const Installation& installation, const std::string& name) {
    const model::Subject subject = stored_user(installation, name).subject;
    auto database = installation.open();
    return store::find_password_hash(database, subject);
}

bool opens_with(const Installation& installation, const std::string& name, const std::string& password) {
    return crypto::verify_password(util::Secret(password), hash_of(installation, name));
}

model::Subject put_app(const Installation& installation, const std::string& name) {
    model::Subject subject = add_user(installation, name);
    const keys::Keys keys(installation.keys_directory(), keys::KeyUse::verify, false, true);
    crypto::SystemRandom random;
    const util::Time now = util::SystemClock().now();
    const std::string sealed =
        factor::seal_totp_secret(keys.factor_key(), subject, now, factor::make_totp_secret(random), random);
    write(installation,
          [&](db::Transaction& transaction) { store::replace_totp(transaction, subject, sealed, 1, now); });
    return subject;
}

void put_codes(const Installation& installation, const std::string& name) {
    const model::Subject subject = add_user(installation, name);
    const keys::Keys keys(installation.keys_directory(), keys::KeyUse::verify, false, true);
    const std::string hash = factor::recovery_code_hash(keys.factor_key(), subject, "1234567890123456");
    write(installation, [&](db::Transaction& transaction) {
        store::replace_recovery_codes(transaction, subject, {hash}, util::SystemClock().now());
    });
}

void put_passkey(db::Transaction& transaction, const model::Subject& subject, const std::string& credential_id,
                 const std::string& rp_id) {
    store::Passkey passkey;
    passkey.credential_id = credential_id;
    passkey.subject = subject;
    passkey.rp_id = rp_id;
    passkey.name = "Key " + credential_id;
    passkey.created_at = util::SystemClock().now();
    store::insert_passkey(transaction, passkey);
}

std::int64_t count_rows(const Installation& installation, const std::string& rest) {
    db::Database database(installation.database(), db::Access::query_only);
    const std::string sql = "SELECT COUNT(*) FROM " + rest;
    db::Statement statement = database.prepare(sql.c_str());
    REQUIRE(statement.step());
    return statement.integer(0);
}

}  // namespace postern::test
