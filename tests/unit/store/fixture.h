// A database with one client and one user, and what the tests of the store need around it.
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "store/access_tokens.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"
#include "store/users.h"
#include "support/database.h"

namespace postern::test {

using util::Seconds;
using util::Time;
inline constexpr Time kNow{Seconds{1'000'000}};

/// Removed with everything in it.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "postern-test-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

inline unsigned mode_of(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0U;
}

inline std::string read_file(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

inline void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The exit code of `action` in a process of its own. The caller must not have a database open that `action` uses.
template <class Action>
pid_t start_child(Action action) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    int code = 99;
    try {
        code = action();
    } catch (...) {
    }
    ::_exit(code);
}

inline int exit_code_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The message of the exception of type E that `action` throws; "" when it throws none.
template <class E, class Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const E& error) {
        return error.what();
    }
    return "";
}

inline bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Runs `action(transaction)` and commits.
template <class Action>
auto written(db::Database& database, Action action) {
    db::Transaction transaction(database, db::Durability::lazy);
    if constexpr (std::is_void_v<decltype(action(transaction))>) {
        action(transaction);
        transaction.commit();
    } else {
        auto result = action(transaction);
        transaction.commit();
        return result;
    }
}

inline std::int64_t count(db::Database& database, const char* sql) {
    auto row = database.prepare(sql);
    return row.step() ? row.integer(0) : -1;
}

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

/// Where the row of the token is whose digest is `hash`; of no grant if there is none.
inline store::AccessTokenKey key_in(db::Database& database, const std::string& hash) {
    store::AccessTokenKey key;
    key.token_hash = model::ValueHash(hash);
    auto row = database.query("SELECT grant_id, issued_at FROM access_tokens WHERE token_hash = $1", hash);
    if (row.step()) row >> key.grant_id >> key.issued_at;
    return key;
}

/// The token whose digest is `hash`, found as one that says where its row is.
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

/// One use of the refresh token whose digest is `hash`; what it yields is not inserted.
inline store::Rotation rotate(db::Transaction& transaction, const std::string& hash, Time now, Seconds grace,
                              const std::string& successor = "successor") {
    const auto used = find_refresh(transaction.database(), hash);
    return store::rotate_refresh_token(transaction, used ? used->token : model::RefreshToken(),
                                       model::ValueHash(successor), now, grace);
}

inline void add_client_and_user(db::Database& database) {
    written(database, [](db::Transaction& transaction) {
        store::insert_client(transaction, client());
        store::insert_user(transaction, user());
    });
}

/// With the client and the user.
inline db::Database sample_database() {
    auto database = empty_database();
    add_client_and_user(database);
    return database;
}

}  // namespace postern::test
