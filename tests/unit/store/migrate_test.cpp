#include "db/maintenance.h"

#include <sqlite3.h>

#include <algorithm>
#include <functional>
#include <regex>

#include "store/mail_requests.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using db::Access;
using db::Database;

namespace {

namespace fs = std::filesystem;

void with_shell(const std::string& path, const std::string& sql) {
    sqlite3* shell = nullptr;
    REQUIRE(sqlite3_open(path.c_str(), &shell) == SQLITE_OK);
    char* error = nullptr;
    const int result = sqlite3_exec(shell, sql.c_str(), nullptr, nullptr, &error);
    CHECK_MESSAGE(result == SQLITE_OK, std::string(error ? error : ""));
    sqlite3_free(error);
    sqlite3_close(shell);
}

/// As the release with schema version 1 made it, with a row in each table that the next version changes.
struct OldDatabase {
    OldDatabase() {
        const auto schema = read_file("tests/support/schema-v1.sql");
        REQUIRE(mentions(schema, "PRAGMA user_version = 1;"));
        with_shell(path, "PRAGMA journal_mode = WAL;" + schema + R"(
            INSERT INTO clients VALUES ('client', 'A client', 'confidential', 0, 0, 1, 'authorization_code', 'openid',
                                        'client_secret_basic', 'optional', 1);
            INSERT INTO users VALUES ('sub-1', 'alice', 'hash', '{"name":"Alice"}', 1, 1, 1);
            INSERT INTO consents VALUES ('client', 'sub-1', 'openid email', 7);
            INSERT INTO grants VALUES ('grant', 'client', 'sub-1', 'openid', 1, 'sid', 2, NULL, 2000000);
            INSERT INTO grants VALUES ('ended', 'client', NULL, '', 1, '', 2, 3, 3);
            INSERT INTO authorization_codes VALUES ('code', 'grant', 'https://client.example/cb', 1, 'nonce', NULL, 60,
                                                    NULL, 1000060, NULL, NULL);
            INSERT INTO access_tokens VALUES ('token', 'grant.x', 'grant', 'openid', NULL, 1000000, 1000900, NULL);)");
    }
    TemporaryDirectory directory;
    std::string path = directory / "postern.db";
};

using Lines = std::vector<std::string>;

/// Everything that SQLite tells about tables, columns, indexes and foreign keys.
Lines description_of(Database& database) {
    constexpr const char* kQueries[] = {
        "SELECT 'table', name, ncol, wr, strict FROM pragma_table_list WHERE schema = 'main' ORDER BY name",
        "SELECT 'column', m.name, c.cid, c.name, c.type, c.\"notnull\", c.dflt_value, c.pk FROM sqlite_master m,"
        " pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY m.name, c.cid",
        "SELECT 'index', m.name, l.name, l.\"unique\", l.origin, l.partial, i.seqno, i.name, i.desc, i.coll, i.key"
        " FROM sqlite_master m, pragma_index_list(m.name) l, pragma_index_xinfo(l.name) i WHERE m.type = 'table'"
        " ORDER BY l.name, i.seqno",
        "SELECT 'foreign key', m.name, f.\"table\", f.\"from\", f.\"to\", f.on_update, f.on_delete FROM sqlite_master "
        "m,"
        " pragma_foreign_key_list(m.name) f WHERE m.type = 'table' ORDER BY m.name, f.\"from\"",
        "SELECT 'application', application_id FROM pragma_application_id",
        "SELECT 'version', user_version FROM pragma_user_version",
    };
    const int columns[] = {5, 8, 11, 7, 2, 2};
    Lines lines;
    for (std::size_t i = 0; i < std::size(kQueries); ++i) {
        auto rows = database.prepare(kQueries[i]);
        while (rows.step()) {
            std::string line;
            for (int column = 0; column < columns[i]; ++column) line += rows.text(column) + "|";
            lines.push_back(line);
        }
    }
    return lines;
}

/// How tables and indexes were made, without comments and line breaks; a column that was added stands elsewhere.
Lines statements_of(Database& database) {
    Lines statements;
    auto rows = database.prepare(
        "SELECT sql FROM sqlite_master WHERE name NOT IN ('clients', 'consents', 'grants', 'sessions', 'users') ORDER BY name");
    while (rows.step()) {
        auto sql = std::regex_replace(rows.text(0), std::regex("--[^\n]*"), "");
        sql = std::regex_replace(sql, std::regex("\\s+"), " ");
        sql = std::regex_replace(sql, std::regex("\\( "), "(");
        statements.push_back(std::regex_replace(sql, std::regex(" \\)"), ")"));
    }
    return statements;
}

}  // namespace

TEST_CASE("migrate: a database of version 1 becomes what a new one is") {
    const OldDatabase old;
    const auto migration = db::migrate(old.path);
    CHECK(migration.from == 1);
    CHECK(migration.to == db::kSchemaVersion);
    Database migrated(old.path, Access::read_write);
    auto fresh = Database::in_memory();
    CHECK(description_of(fresh).size() > 100);
    const auto made = description_of(migrated);
    for (const auto& line : description_of(fresh)) {
        CAPTURE(line);
        CHECK(std::find(made.begin(), made.end(), line) != made.end());
    }
    CHECK(made.size() == description_of(fresh).size());
    CHECK(statements_of(migrated) == statements_of(fresh));
    CHECK(statements_of(fresh).size() > 20);
}

TEST_CASE("migrate: grants without a user or a session are listed by neither, and the others are found by them") {
    const OldDatabase old;
    db::migrate(old.path);
    Database database(old.path, Access::read_write);
    const auto plan_of = [&](const char* sql) {
        auto rows = database.prepare(sql);
        std::string plan;
        while (rows.step()) plan += rows.text(3) + "\n";
        return plan;
    };
    const char* by_user = "EXPLAIN QUERY PLAN SELECT id FROM grants WHERE client_id = $1 AND subject = $2";
    const char* by_session = "EXPLAIN QUERY PLAN SELECT id FROM grants WHERE sid = $1 AND sid <> ''";
    CHECK(mentions(plan_of(by_user), "grants_by_subject"));
    CHECK(mentions(plan_of(by_session), "grants_by_sid"));
    written(database, [](auto& t) {
        CHECK(store::end_grants_of_session(t, model::Sid(""), kNow) == 0);
        CHECK(store::end_grants_of_session(t, model::Sid("sid"), kNow) == 1);
    });
    with_shell(old.path, "PRAGMA foreign_keys = ON; DELETE FROM users");
    CHECK(count(database, "SELECT count(*) FROM grants") == 1);
    with_shell(old.path, "PRAGMA foreign_keys = ON; DELETE FROM clients");
    CHECK(count(database, "SELECT count(*) FROM grants") == 0);
}

TEST_CASE("migrate: old rows are as they were, and new ones can be written next to them") {
    const OldDatabase old;
    db::migrate(old.path);
    Database database(old.path, Access::read_write);
    const auto token = find_token(database, "token");
    REQUIRE(token);
    CHECK(store::is_active(*token, kNow));
    CHECK(store::find_grant(database, model::GrantId("grant"))->claims.empty());
    CHECK(store::find_grant(database, model::GrantId("ended"))->ended_at);
    CHECK(store::find_user_by_name(database, "alice")->claims.find("name"));
    CHECK(store::find_client(database, model::ClientId("client"), kNow)->name == "A client");
    CHECK(count(database, "SELECT count(*) FROM consents WHERE scope = 'openid email' AND granted_at = 7") == 1);
    written(database, [](auto& t) {
        CHECK(store::redeem_code(t, model::ValueHash("code"), kNow));
        store::insert_refresh_token(t, refresh_token_of("grant"));
        store::insert_grant(t, grant("new"));
    });
    CHECK(find_refresh(database, "refresh of grant"));
    CHECK_THROWS_AS(database.prepare("UPDATE refresh_tokens SET state = 'stolen'").execute(), db::StoreError);
}

TEST_CASE("migrate: refresh tokens of version 2 keep their line, and are found with or without their grant") {
    const OldDatabase old;
    with_shell(old.path, R"(
        PRAGMA user_version = 2;
        ALTER TABLE consents ADD COLUMN claims TEXT NOT NULL DEFAULT '';
        ALTER TABLE grants ADD COLUMN userinfo_claims TEXT NOT NULL DEFAULT '';
        ALTER TABLE grants ADD COLUMN id_token_claims TEXT NOT NULL DEFAULT '';
        CREATE INDEX grants_by_sid ON grants (sid);
        CREATE TABLE refresh_tokens (token_hash TEXT NOT NULL PRIMARY KEY,
            grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE, parent_hash TEXT,
            issued_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, state TEXT NOT NULL, rotated_at INTEGER,
            revoked_at INTEGER) STRICT, WITHOUT ROWID;
        INSERT INTO refresh_tokens VALUES
            ('A', 'grant', NULL, 1, 2000000, 'used', 1000, NULL), ('B', 'grant', 'A', 1000, 2000000, 'retried', 999995, NULL),
            ('C', 'grant', 'B', 999995, 2000000, 'current', NULL, NULL),
            ('D', 'grant', 'B', 999996, 2000000, 'current', NULL, NULL),
            ('alone', 'ended', NULL, 1, 2000000, 'used', 2, NULL);)");
    CHECK(db::migrate(old.path).from == 2);
    Database database(old.path, Access::read_write);
    auto fresh = Database::in_memory();
    CHECK(statements_of(database) == statements_of(fresh));  // indexes of an early version 2 hold more
    for (const char* hash : {"A", "B", "C", "D"}) {
        CAPTURE(hash);
        CHECK(find_refresh(database, hash));
        CHECK(store::find_opaque_refresh_token(database, model::ValueHash(hash)));
    }
    written(database, [](auto& t) {
        const Seconds grace{10};
        CHECK(rotate(t, "B", kNow, grace) == store::Rotation::refused);  // a third try
        CHECK(rotate(t, "D", kNow, grace) == store::Rotation::rotated);
        CHECK(rotate(t, "C", kNow, grace) == store::Rotation::refused);  // void since
        CHECK(rotate(t, "B", kNow, grace) == store::Rotation::reused);
        CHECK(rotate(t, "A", kNow, grace) == store::Rotation::reused);
        CHECK(rotate(t, "alone", kNow, grace) == store::Rotation::refused);  // its grant has ended
    });
}

TEST_CASE("migrate: a database of version 4 keeps clients, and how its sessions logged in") {
    const TemporaryDirectory directory;
    const auto path = directory / "postern.db";
    with_shell(path, "PRAGMA journal_mode = WAL;" + read_file("tests/support/schema-v4.sql") + R"(
        INSERT INTO clients (id, name, type, native, first_party, enabled, grants, scope, auth_method, pkce, created_at)
            VALUES ('client', 'A client', 'confidential', 0, 0, 1, 'authorization_code implicit', 'openid',
                    'client_secret_basic', 'optional', 1);
        INSERT INTO users (subject, username, password_hash, claims, enabled, created_at, updated_at)
            VALUES ('sub-1', 'alice', 'hash', '{}', 1, 1, 1);
        INSERT INTO sessions (cookie_hash, sid, subject, auth_time, created_at, last_seen_at, expires_at, level, amr)
            VALUES ('cookie', 'sid', 'sub-1', 1, 1, 1, 2000000, 3, 'hwk user');)");
    const auto migration = db::migrate(path);
    CHECK(migration.from == 4);
    CHECK(migration.copy == path + ".v4");
    Database database(path, Access::read_write);
    auto fresh = Database::in_memory();
    CHECK(statements_of(database) == statements_of(fresh));
    auto lines = description_of(database);
    auto expected = description_of(fresh);
    std::sort(lines.begin(), lines.end());
    std::sort(expected.begin(), expected.end());
    CHECK(lines == expected);
    CHECK(count(database, "SELECT count(*) FROM sessions WHERE level = 3 AND amr = 'hwk user'") == 1);
    const auto client = store::find_client(database, model::ClientId("client"), kNow);
    REQUIRE(client);
    CHECK(client->response_types.empty());
    CHECK_FALSE(client->id_token_algorithm);
}

TEST_CASE("migrate: a copy of the old database stands next to it, closed to others") {
    const OldDatabase old;
    const auto migration = db::migrate(old.path);
    CHECK(migration.copy == old.path + ".v1");
    CHECK(mode_of(migration.copy) == 0600);
    auto copy = Database::open_for_migration(migration.copy);
    CHECK(db::schema_version(copy) == 1);
    CHECK(count(copy, "SELECT count(*) FROM access_tokens") == 1);
}

TEST_CASE("migrate: the present version is left as it is") {
    const DatabaseFile file;
    const auto migration = db::migrate(file.path);
    CHECK(migration.from == db::kSchemaVersion);
    CHECK(migration.to == db::kSchemaVersion);
    CHECK(migration.copy.empty());
    CHECK_FALSE(fs::exists(file.path + ".v" + std::to_string(db::kSchemaVersion)));
}

TEST_CASE("migrate: after any failure the database of version 1 is as it was, and can be migrated later") {
    struct Row {
        const char* when;
        std::function<void(const std::string&)> spoil;
        std::function<void(const std::string&)> mend;
        const char* says;
    };
    const Row rows[] = {
        {"a statement in the middle fails",
         [](const std::string& path) { with_shell(path, "CREATE TABLE refresh_tokens (x)"); },
         [](const std::string& path) { with_shell(path, "DROP TABLE refresh_tokens"); }, "refresh_tokens"},
        {"rows point nowhere",
         [](const std::string& path) { with_shell(path, "UPDATE access_tokens SET grant_id = 'x'"); },
         [](const std::string& path) { with_shell(path, "UPDATE access_tokens SET grant_id = 'grant'"); },
         "dangling references"},
        {"there is a copy already", [](const std::string& path) { write_file(path + ".v1", "precious"); },
         [](const std::string& path) {
             CHECK(read_file(path + ".v1") == "precious");
             fs::remove(path + ".v1");
         },
         "exists already"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        const OldDatabase old;
        row.spoil(old.path);
        const auto message = refusal<db::StoreError>([&] { db::migrate(old.path); });
        CHECK(mentions(message, row.says));
        {
            auto database = Database::open_for_migration(old.path);
            CHECK(db::schema_version(database) == 1);
            CHECK(count(database, "SELECT count(*) FROM pragma_table_info('grants')") == 9);
            CHECK(count(database, "SELECT count(*) FROM grants") == 2);
        }
        row.mend(old.path);
        CHECK_FALSE(fs::exists(old.path + ".v1"));
        CHECK(db::migrate(old.path).from == 1);
    }
}

TEST_CASE("migrate: a process that dies before the last moment has changed nothing, and its copy is there") {
    constexpr int kDied = 7;
    const OldDatabase old;
    const pid_t child = start_child([&] {
        // Whatever connection is opened from here on dies when it commits, after all statements have run.
        const auto die_at_commit = [](sqlite3* connection, const char**, const sqlite3_api_routines*) {
            sqlite3_commit_hook(
                connection, [](void*) -> int { ::_exit(kDied); }, nullptr);
            return SQLITE_OK;
        };
        sqlite3_auto_extension(reinterpret_cast<void (*)()>(+die_at_commit));
        db::migrate(old.path);
        return 0;
    });
    REQUIRE(exit_code_of(child) == kDied);
    {
        auto database = Database::open_for_migration(old.path);
        CHECK(db::schema_version(database) == 1);
        CHECK(count(database, "SELECT count(*) FROM grants") == 2);
    }
    const auto message = refusal<db::StoreUnusable>([&] { db::migrate(old.path); });
    CHECK(mentions(message, old.path + ".v1"));
    CHECK(mentions(message, "move it away and run `postern migrate` again"));
    fs::remove(old.path + ".v1");
    CHECK(db::migrate(old.path).to == db::kSchemaVersion);
}

TEST_CASE("migrate: a writer at work is waited for, and not for ever") {
    const OldDatabase old;
    auto writer = Database::open_for_migration(old.path);
    {
        db::Transaction t(writer, db::Durability::lazy);
        CHECK_THROWS_AS(db::migrate(old.path, std::chrono::milliseconds(30)), db::StoreBusy);
    }
    CHECK_FALSE(fs::exists(old.path + ".v1"));
    CHECK(db::migrate(old.path).from == 1);
}

TEST_CASE("migrate: a schema of a later version, of an unknown one and a foreign database are refused") {
    struct Row {
        const char* sql;
        const char* says;
    };
    const Row rows[] = {
        {"PRAGMA user_version = 6", "cannot be downgraded"},           {"PRAGMA user_version = 0", "no release"},
        {"PRAGMA user_version = -1", "was moved to another database"}, {"PRAGMA user_version = -2", "no release"},
        {"PRAGMA application_id = 1", "not a database of Postern"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.sql);
        const OldDatabase old;
        with_shell(old.path, row.sql);
        const auto message = refusal<db::StoreUnusable>([&] { db::migrate(old.path); });
        CHECK(mentions(message, old.path));
        CHECK(mentions(message, row.says));
        CHECK_FALSE(fs::exists(old.path + ".v1"));
    }
    CHECK_THROWS_AS(db::migrate("/no/such/postern.db"), db::StoreUnusable);
}

TEST_CASE("Database: an older schema is refused with the command that brings it up to date") {
    const OldDatabase old;
    for (const Access access : {Access::read_write, Access::query_only}) {
        const auto message = refusal<db::StoreUnusable>([&] { Database(old.path, access); });
        CHECK(mentions(message, "schema version 1"));
        CHECK(mentions(message, "postern migrate"));
    }
}

TEST_CASE("migrate: each user gets the digest of the address, in lower case, that mail can be sent to [MAIL-4]") {
    const OldDatabase old;
    with_shell(
        old.path,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2500)"
        " INSERT INTO users (subject, username, password_hash, claims, enabled, created_at, updated_at)"
        " SELECT 'many-' || i, 'many-' || i, '', json_object('email', 'User' || i || '@Example.org'), 1, 1, 1 FROM n;"
        "INSERT INTO users (subject, username, password_hash, claims, enabled, created_at, updated_at) VALUES"
        " ('none', 'none', '', '{}', 1, 1, 1), ('odd', 'odd', '', '{\"email\":\"a b@c\"}', 1, 1, 1),"
        " ('number', 'number', '', '{\"email\":7}', 1, 1, 1)");
    db::migrate(old.path);
    Database database(old.path, Access::read_write);
    for (const int i : {1, 1000, 1001, 2500}) {
        const std::string number = std::to_string(i);
        const auto found = store::subjects_with_email(database, model::email_key("user" + number + "@example.org"), 5);
        REQUIRE(found.size() == 1);
        CHECK(found[0] == model::Subject("many-" + number));
    }
    CHECK(count(database, "SELECT count(*) FROM users WHERE email_key = '' AND subject IN ('none', 'odd', 'number')") ==
          3);
    CHECK(store::subjects_with_email(database, "", 5).empty());
}
