// A complete fixture for the rules.
#include "support/rules_fixture.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "crypto/digest.h"
#include "db/replay_file.h"
#include "store/clients.h"
#include "store/sessions.h"
#include "store/users.h"
#include "support/database.h"
#include "util/base64.h"

namespace postern::test {
namespace {

constexpr util::Time kStart = util::from_epoch(1'800'000'000);

class NoSink final : public util::LogSink {
public:
    bool write(util::LogLevel, std::string_view) override { return true; }
};

/// RSA keys take a while: one directory serves every test of the process.
class KeyDirectory {
public:
    KeyDirectory() {
        std::string pattern = std::filesystem::temp_directory_path() / "postern-keys-XXXXXX";
        if (!::mkdtemp(pattern.data())) throw std::runtime_error("mkdtemp");
        path_ = pattern;
        using enum crypto::Algorithm;
        keys::Keys::create(path_ + "/keys", {ES256, RS256, EdDSA}, kStart - util::Seconds{86400});
    }
    ~KeyDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::string keys() const { return path_ + "/keys"; }

private:
    std::string path_;
};

const KeyDirectory& key_directory() {
    static const KeyDirectory directory;
    return directory;
}

model::Client registered(const std::string& id, const std::string& redirect_uri) {
    model::Client client;
    client.id = model::ClientId(id);
    client.name = "Client " + id;
    client.grants = {model::GrantType::authorization_code, model::GrantType::refresh_token};
    client.scope = *model::Scope::parse("openid profile email");
    client.redirect_uris = {redirect_uri};
    client.created_at = kStart;
    return client;
}

}  // namespace

std::unique_ptr<keys::Keys> keys_without_factors() {
    return std::make_unique<keys::Keys>(key_directory().keys(), keys::KeyUse::sign, true);
}

RulesFixture::RulesFixture() : RulesFixture(empty_database(), "world") {}

RulesFixture::RulesFixture(db::Database opened, const std::string& seed)
    : clock(kStart),
      random(seed),
      database(std::move(opened)),
      replays(db::replays_in_memory(settings.replays_size)),
      keys(std::make_unique<keys::Keys>(key_directory().keys(), keys::KeyUse::sign, true, true)),
      log(std::make_unique<NoSink>(), util::LogLevel::error, "test") {
    settings.issuer = "https://op.example";
    settings.oidc = true;
}

void RulesFixture::add(const model::Client& client) {
    db::Transaction transaction(database, db::Durability::lazy);
    if (!store::insert_client(transaction, client)) throw std::logic_error("client id taken");
    transaction.commit();
}

model::Client RulesFixture::add_confidential(const std::string& id, const std::string& redirect_uri,
                                             const std::string& secret) {
    model::Client client = registered(id, redirect_uri);
    client.secrets = {model::ClientSecret{model::ValueHash(crypto::sha256_hex(secret)), std::nullopt}};
    add(client);
    return client;
}

model::Client RulesFixture::add_public(const std::string& id, const std::string& redirect_uri) {
    model::Client client = registered(id, redirect_uri);
    client.type = model::ClientType::public_;
    client.auth_method = model::AuthMethod::none;
    client.pkce = model::Pkce::required;
    add(client);
    return client;
}

model::User RulesFixture::add_user(const std::string& username) {
    model::User user;
    user.subject = model::Subject(crypto::random_id(random));
    user.username = username;
    user.created_at = user.updated_at = clock.now();
    db::Transaction transaction(database, db::Durability::lazy);
    if (!store::insert_user(transaction, user)) throw std::logic_error("username taken");
    transaction.commit();
    return user;
}

model::Session RulesFixture::add_session(const model::User& user, const std::string& cookie) {
    model::Session session;
    session.cookie_hash = model::ValueHash(crypto::sha256_hex(cookie));
    session.sid = model::Sid(crypto::random_id(random));
    session.subject = user.subject;
    session.auth_time = session.created_at = session.last_seen_at = clock.now();
    session.expires_at = clock.now() + settings.session_ttl;
    if (settings.login.has_page()) session.how = model::by_password();
    db::Transaction transaction(database, db::Durability::lazy);
    store::insert_session(transaction, session);
    transaction.commit();
    return session;
}

http::Params params(std::string_view text) {
    auto parsed = http::Params::parse(text, 64);
    if (!parsed) throw std::logic_error("bad parameters in a test");
    return *parsed;
}

http::Request post(std::string_view form, std::string_view query) {
    http::Request request;
    request.id = "test";
    request.method = http::Method::post;
    request.body = http::BodyKind::form;
    request.form = params(form);
    request.query = params(query);
    request.remote_address = "192.0.2.1";
    return request;
}

http::Request get(std::string_view query) {
    http::Request request;
    request.id = "test";
    request.query = params(query);
    request.remote_address = "192.0.2.1";
    return request;
}

std::string basic_header(const std::string& id, const std::string& secret) {
    return "Basic " + util::base64_encode(id + ":" + secret);
}

std::string location_parameter(const http::Response& response, const std::string& name) {
    const std::string* location = response.find("Location");
    if (!location) return "";
    const std::size_t query = location->find('?');
    if (query == std::string::npos) return "";
    return std::string(params(std::string_view(*location).substr(query + 1)).find(name).value_or(""));
}

}  // namespace postern::test
