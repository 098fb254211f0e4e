#include <set>

#include "unit/db/fixture.h"

using namespace postern;
using namespace postern::test;

namespace {

std::vector<std::string> texts(db::Database& database, const char* sql) {
    std::vector<std::string> found;
    auto rows = database.prepare(sql);
    while (rows.step()) found.push_back(rows.text(0));
    return found;
}

}  // namespace

TEST_CASE("schema.sql: every column says with a comment, or with its table's, what it is for") {
    auto database = db::Database::in_memory();
    const auto tables = texts(database, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
    std::string joined;
    for (const auto& table : tables) joined += table + " ";
    CHECK(
        joined ==
        "access_tokens activity allowed_groups allowed_users authorization_codes authorization_requests "
        "client_claims client_group_names client_keys client_secrets clients consents device_codes fetch_limits fetched grants "
        "group_members groups links login_attempts logout_outbox mail_requests passkeys recovery_codes redirect_uris "
        "refresh_tokens registration_tokens remembered_devices resource_addresses resources session_clients sessions "
        "sites spent_challenges "
        "totp_secrets users ");
    const std::string schema = db::kSchemaSql;
    for (const auto& table : tables) {
        const auto at = schema.find("CREATE TABLE " + table + " (");
        REQUIRE(at != std::string::npos);
        const auto line = schema.rfind("\n", at - 2) + 1;
        CAPTURE(table);
        CHECK(schema.compare(line, 2, "--") == 0);
    }
}

TEST_CASE("schema.sql: every foreign key removes what hangs on it, by an index") {
    auto database = db::Database::in_memory();
    auto keys = database.prepare(
        "SELECT m.name, f.\"from\", f.on_delete FROM sqlite_master m, pragma_foreign_key_list(m.name) f WHERE m.type = "
        "'table'");
    int seen = 0;
    while (keys.step()) {
        const auto column = keys.text(0) + "." + keys.text(1);
        CAPTURE(column);
        CHECK(keys.text(2) == "CASCADE");
        auto index = database.query(
            "SELECT count(*) FROM pragma_index_list($1) l, pragma_index_info(l.name) i WHERE i.seqno = 0 AND i.name = "
            "$2",
            keys.text(0), keys.text(1));
        REQUIRE(index.step());
        CHECK(index.integer(0) >= 1);
        ++seen;
    }
    CHECK(seen == 32);
}
