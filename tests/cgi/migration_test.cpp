// A server whose database an earlier release made: refused until it is migrated, and then everybody goes on.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <filesystem>
#include <string>

#include "db/database.h"
#include "json/writer.h"
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

/// The columns of a table that an earlier release made.
std::string columns_of(const std::string& schema, const std::string& table) {
    sqlite3* connection = nullptr;
    REQUIRE(sqlite3_open(":memory:", &connection) == SQLITE_OK);
    REQUIRE(sqlite3_exec(connection, schema.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    const std::string sql = "SELECT group_concat(name, ', ') FROM pragma_table_info('" + table + "')";
    sqlite3_stmt* statement = nullptr;
    REQUIRE(sqlite3_prepare_v2(connection, sql.c_str(), -1, &statement, nullptr) == SQLITE_OK);
    REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
    const auto* names = reinterpret_cast<const char*>(sqlite3_column_text(statement, 0));
    std::string columns(names ? names : "");
    sqlite3_finalize(statement);
    sqlite3_close(connection);
    return columns;
}

/// The same clients, users, sessions and tokens as the release with that schema version would have kept them.
void turn_back_to_version(int version, const Deployment& op) {
    const fs::path database = op.database_file();
    const fs::path present = op.directory() / "present.db";
    execute(database, "VACUUM INTO '" + present.string() + "'");
    for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(database.string() + suffix);
    const std::string number = std::to_string(version);
    const std::string schema = read_file(source_directory() / "tests" / "support" / ("schema-v" + number + ".sql"));
    REQUIRE(schema.find("PRAGMA user_version = " + number + ";") != std::string::npos);
    std::string sql = "PRAGMA journal_mode = WAL;" + schema + "ATTACH '" + present.string() + "' AS present;";
    for (const std::string table :
         {"clients", "client_secrets", "redirect_uris", "users", "sessions", "authorization_requests", "consents",
          "grants", "authorization_codes", "access_tokens", "refresh_tokens", "login_attempts"}) {
        const std::string columns = columns_of(schema, table);
        if (columns.empty()) continue;  // version 1 had no refresh tokens
        sql += "INSERT INTO main." + table + " (" + columns + ") SELECT " + columns + " FROM present." + table + ";";
    }
    execute(database, sql);
    fs::permissions(database, fs::perms(0660));
    fs::remove(present);
}

TEST_CASE("migration: with the database of schema version 1 nothing is served, and the log names the remedy [S11]") {
    const Deployment op;
    turn_back_to_version(1, op);
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
    turn_back_to_version(1, op);
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

const std::string kPasswordLevel = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";

/// `acr` and `amr` of an ID token, as they are written in it.
std::string level_told(const std::string& id_token) {
    const postern::json::Object claims = jwt_claims(id_token);
    const postern::json::Value* amr = claims.find("amr");
    const std::string acr = claims.find("acr") ? text_of(claims, "acr") : "no acr";
    return acr + " " + (amr ? postern::json::write(*amr) : "no amr");
}

Query refresh_form(const postern::json::Object& tokens) {
    return {{"grant_type", "refresh_token"}, {"refresh_token", text_of(tokens, "refresh_token")}};
}

/// The release with schema version 3 knew no second factors, and had no key for them.
void upgrade_from_version_3(const Deployment& op) {
    turn_back_to_version(3, op);
    fs::remove(op.keys_directory() / "factor.key");
    op.must({"migrate"});
    CHECK(fs::exists(op.database_file().string() + ".v3"));
}

TEST_CASE("migration: what was given in schema version 3 is used on, and counts as a login by password [STORE-5]") {
    const Deployment op;
    UserAgent alice(op);
    const postern::json::Object tokens = obtain_tokens(op, alice, authorization_request());
    upgrade_from_version_3(op);

    CHECK(is_active(op, text_of(tokens, "access_token")));
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
    const Answer refreshed = redeem(op, refresh_form(tokens));
    REQUIRE_MESSAGE(refreshed.status == 200, refreshed.raw << refreshed.log);
    CHECK(level_told(refreshed.member("id_token")) == kPasswordLevel + " [\"pwd\"]");
    CHECK(userinfo(op, refreshed.member("access_token")).status == 200);

    // The session and the consent: neither a login nor anything new comes first.
    const Landing next = alice.authorize(authorization_request());
    REQUIRE_MESSAGE(next.verdict() == "code", next.verdict() << next.answer.log);
    const Answer redeemed = redeem(op, token_request(next.parameter("code")));
    REQUIRE(redeemed.status == 200);
    CHECK(level_told(redeemed.member("id_token")) == kPasswordLevel + " [\"pwd\"]");
    const auto auth_time = [](const std::string& id_token) {
        return *jwt_claims(id_token).find("auth_time")->if_integer();
    };
    CHECK(auth_time(redeemed.member("id_token")) == auth_time(text_of(tokens, "id_token")));
    CHECK(alice.open(op.url("account")).verdict() == "page 200");
    UserAgent elsewhere(op, "192.0.2.99");
    CHECK(elsewhere.log_in(elsewhere.authorize(authorization_request())).verdict() == "code");
}

TEST_CASE("migration: with method remote_user what was given in schema version 3 says no acr and no amr [STORE-5]") {
    Deployment op({.config = {{"login", postern::json::Object{{"method", "remote_user"}}}}});
    UserAgent alice(op);
    alice.login_variables() = {{"REMOTE_USER", kAlice}, {"AUTH_TYPE", "Basic"}};
    const postern::json::Object tokens = obtain_tokens(op, alice, authorization_request());
    upgrade_from_version_3(op);

    CHECK(is_active(op, text_of(tokens, "access_token")));
    const Answer refreshed = redeem(op, refresh_form(tokens));
    REQUIRE_MESSAGE(refreshed.status == 200, refreshed.raw << refreshed.log);
    CHECK(level_told(refreshed.member("id_token")) == "no acr no amr");
    alice.login_variables().clear();  // the session goes on without the web server's word
    const Landing next = alice.authorize(authorization_request());
    REQUIRE_MESSAGE(next.verdict() == "code", next.verdict() << next.answer.log);
    const Answer redeemed = redeem(op, token_request(next.parameter("code")));
    REQUIRE(redeemed.status == 200);
    CHECK(level_told(redeemed.member("id_token")) == "no acr no amr");

    // Where users log in by password later, that session is no login, and the grant still says nothing of one.
    op.configure("login", postern::json::Object{{"method", "password"}});
    CHECK(alice.authorize(authorization_request()).verdict() == "login");
    const Query form{{"grant_type", "refresh_token"}, {"refresh_token", refreshed.member("refresh_token")}};
    const Answer again = redeem(op, form);
    REQUIRE(again.status == 200);
    CHECK(level_told(again.member("id_token")) == "no acr no amr");
}

}  // namespace
