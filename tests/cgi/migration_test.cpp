// A server whose database an earlier release made: refused until it is migrated, and then everybody goes on.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

#include "db/database.h"
#include "support/flow.h"

namespace {

using namespace postern::test;
namespace fs = std::filesystem;

void execute(const fs::path& file, const std::string& sql) {
    sqlite3* connection = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &connection) == SQLITE_OK);
    char* error = nullptr;
    const int result = sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &error);
    CHECK_MESSAGE(result == SQLITE_OK, std::string(error ? error : ""));
    sqlite3_free(error);
    sqlite3_close(connection);
}

/// The same clients, users, sessions and tokens as the release with schema version 1 would have kept them.
void turn_back_to_version_1(const Deployment& op) {
    const fs::path database = op.database_file();
    const fs::path present = op.directory() / "present.db";
    execute(database, "VACUUM INTO '" + present.string() + "'");
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(database.string() + suffix);
    const std::string schema = read_file(source_directory() / "tests" / "support" / "schema-v1.sql");
    REQUIRE(schema.find("PRAGMA user_version = 1;") != std::string::npos);
    std::string sql = "PRAGMA journal_mode = WAL;" + schema + "ATTACH '" + present.string() + "' AS present;";
    for (const char* table :
         {"client_secrets", "redirect_uris", "authorization_requests", "authorization_codes", "login_attempts"})
        sql += std::string("INSERT INTO main.") + table + " SELECT * FROM present." + table + ";";
    sql +=
        "INSERT INTO main.clients SELECT id, name, type, native, first_party, enabled, grants, scope, auth_method, pkce,"
        " created_at FROM present.clients;"
        "INSERT INTO main.sessions SELECT cookie_hash, sid, subject, auth_time, created_at, last_seen_at, expires_at"
        " FROM present.sessions;"
        "INSERT INTO main.users SELECT subject, username, password_hash, claims, enabled, created_at, updated_at"
        " FROM present.users;"
        "INSERT INTO main.access_tokens SELECT token_hash, jti, grant_id, scope, audience, issued_at, expires_at,"
        " revoked_at FROM present.access_tokens;"
        "INSERT INTO main.consents SELECT client_id, subject, scope, granted_at FROM present.consents;"
        "INSERT INTO main.grants SELECT id, client_id, subject, scope, auth_time, sid, created_at, ended_at, kept_until"
        " FROM present.grants;";
    execute(database, sql);
    fs::permissions(database, fs::perms(0660));
    fs::remove(present);
}

TEST_CASE("migration: with the database of schema version 1 nothing is served, and the log names the remedy [S11]") {
    const Deployment op;
    turn_back_to_version_1(op);
    for (const std::string endpoint : {"authorize", "login", "token", "userinfo"}) {
        CAPTURE(endpoint);
        const Answer answer = op.cgi(endpoint);
        CHECK(answer.status >= 500);
        CHECK(answer.log.find("schema version 1") != std::string::npos);
        CHECK(answer.log.find("postern migrate") != std::string::npos);
        CHECK(answer.raw.find("schema") == std::string::npos);
    }
}

TEST_CASE("migration: sessions, consents, codes and tokens from before it go on, and logins after it work") {
    const Deployment op;
    UserAgent alice(op);
    const postern::json::Object tokens = obtain_tokens(op, alice, authorization_request());
    const std::string code = alice.obtain_code(authorization_request());
    turn_back_to_version_1(op);
    op.must({"migrate"});

    const std::string access_token = text_of(tokens, "access_token");
    CHECK(userinfo(op, access_token).status == 200);
    CHECK(alice.authorize(authorization_request()).verdict() == "code");  // still logged in, still approved
    const Answer redeemed = redeem(op, token_request(code));
    CHECK(redeemed.status == 200);
    CHECK(redeem(op, token_request(code)).verdict() == "400 invalid_grant");
    CHECK(userinfo(op, redeemed.member("access_token")).status == 401);  // a replay takes back what the code yielded

    UserAgent elsewhere(op, "192.0.2.99");
    const postern::json::Object fresh = obtain_tokens(op, elsewhere, authorization_request());
    CHECK(userinfo(op, text_of(fresh, "access_token")).status == 200);
    const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", text_of(fresh, "refresh_token")}};
    CHECK(redeem(op, refresh).status == 200);
    CHECK(op.postern({"doctor"}).out.find("schema version " + std::to_string(postern::db::kSchemaVersion)) !=
          std::string::npos);
}

}  // namespace
