// A database with one client and one user, and what the tests of the store need around it.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "store/access_tokens.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"
#include "store/users.h"
#include "unit/db/fixture.h"

namespace postern::test {

inline model::Client client(const std::string& id = "client") {
    model::Client client;
    client.id = model::ClientId(id);
    client.name = "A client";
    client.grants = {model::GrantType::authorization_code};
    client.scope = *model::Scope::parse("openid profile");
    client.redirect_uris = {"https://client.example/cb"};
    client.created_at = kNow;
    return client;
}

inline model::User user(const std::string& subject = "sub-1", const std::string& name = "alice") {
    model::User user;
    user.subject = model::Subject(subject);
    user.username = name;
    user.created_at = kNow;
    user.updated_at = kNow;
    return user;
}

inline model::Grant grant(const std::string& id = "grant", const std::string& subject = "sub-1") {
    model::Grant grant;
    grant.id = model::GrantId(id);
    grant.client_id = model::ClientId("client");
    grant.subject = model::Subject(subject);
    grant.scope = *model::Scope::parse("openid profile");
    grant.auth_time = kNow - Seconds{5};
    grant.sid = model::Sid("sid");
    grant.created_at = kNow;
    return grant;
}

inline model::AuthorizationCode code(const std::string& hash = "code", const std::string& grant_id = "grant") {
    model::AuthorizationCode code;
    code.code_hash = model::ValueHash(hash);
    code.grant_id = model::GrantId(grant_id);
    code.redirect_uri = "https://client.example/cb";
    code.expires_at = kNow + Seconds{60};
    return code;
}

inline model::AccessToken token(const std::string& hash = "token", const std::string& grant_id = "grant") {
    model::AccessToken token;
    token.token_hash = model::ValueHash(hash);
    token.jti = grant_id + ".random";
    token.grant_id = model::GrantId(grant_id);
    token.scope = *model::Scope::parse("openid");
    token.issued_at = kNow;
    token.expires_at = kNow + Seconds{900};
    return token;
}

inline model::RefreshToken refresh_token_of(const std::string& grant_id) {
    model::RefreshToken token;
    token.token_hash = model::ValueHash("refresh of " + grant_id);
    token.grant_id = model::GrantId(grant_id);
    token.issued_at = kNow;
    token.expires_at = kNow + Seconds{86400};
    return token;
}

inline store::AccessTokenKey key_of(const model::AccessToken& token) {
    return {token.grant_id, token.issued_at, token.token_hash};
}

/// Returns the key of the row of the token whose digest is `hash`; its grant is empty if there is no such row.
inline store::AccessTokenKey key_in(db::Database& database, const std::string& hash) {
    store::AccessTokenKey key;
    key.token_hash = model::ValueHash(hash);
    auto row = database.query("SELECT grant_id, issued_at FROM access_tokens WHERE token_hash = $1", hash);
    if (row.step()) row >> key.grant_id >> key.issued_at;
    return key;
}

/// Returns the token whose digest is `hash`, found by the key of its row.
inline std::optional<store::StoredAccessToken> find_token(db::Database& database, const std::string& hash) {
    return store::find_access_token(database, key_in(database, hash));
}

inline std::optional<store::StoredRefreshToken> find_refresh(db::Database& database, const std::string& hash) {
    model::GrantId grant;
    {
        auto row = database.query("SELECT grant_id FROM refresh_tokens WHERE token_hash = $1", hash);
        if (!row.step()) return std::nullopt;
        row >> grant;
    }
    return store::find_refresh_token(database, grant, model::ValueHash(hash));
}

/// Uses the refresh token whose digest is `hash` once; the tokens that this use yields are not inserted.
inline store::Rotation rotate(db::Transaction& t, const std::string& hash, Time now, Seconds grace,
                              const std::string& successor = "successor") {
    const auto used = find_refresh(t.database(), hash);
    return store::rotate_refresh_token(t, used ? used->token : model::RefreshToken(), model::ValueHash(successor), now,
                                       grace);
}

inline void add_client_and_user(db::Database& database) {
    written(database, [](auto& t) {
        store::insert_client(t, client());
        store::insert_user(t, user());
    });
}

/// Returns a database with the client and the user.
inline db::Database sample_database() {
    auto database = empty_database();
    add_client_and_user(database);
    return database;
}

/// Returns a database with two clients, two users and a client on its own behalf; each grant with a code, an access
/// token and a refresh token.
inline db::Database with_tokens() {
    auto database = sample_database();
    written(database, [](auto& t) {
        store::insert_client(t, client("other"));
        store::insert_user(t, user("sub-2", "bob"));
        const auto give = [&](const char* id, const char* to, const char* subject, int when) {
            auto each = grant(id, subject);
            each.client_id = model::ClientId(to);
            each.created_at = kNow + Seconds{when};
            store::insert_grant(t, each);
            const std::string name = id;
            store::insert_code(t, code("code " + name, id));
            store::insert_access_token(t, token("token " + name, id));
            store::insert_refresh_token(t, refresh_token_of(id));
        };
        give("b", "client", "sub-1", -20);
        give("a", "client", "sub-2", -10);
        give("c", "other", "sub-1", -5);
        give("d", "other", "", -2);
    });
    return database;
}

/// Runs `work(database)` in processes that begin together; returns what each returned.
template <class Work>
std::vector<int> race(const std::string& path, int processes, Work work) {
    int start[2]{};
    REQUIRE(::pipe(start) == 0);
    std::vector<pid_t> children;
    for (int i = 0; i < processes; ++i) {
        children.push_back(start_child([&] {
            ::close(start[1]);
            db::Database database(path, db::Access::read_write, std::chrono::seconds(20));
            char byte = 0;
            return ::read(start[0], &byte, 1) == 0 ? work(database) : 98;  // until all are there
        }));
    }
    ::close(start[0]);
    ::close(start[1]);
    std::vector<int> results;
    for (const pid_t child : children) results.push_back(exit_code_of(child));
    return results;
}

}  // namespace postern::test
