// Files that are not what was written: an answer is an error or is right, and no right comes back to life through it.
#include <doctest/doctest.h>
#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>

#include "faults/operations.h"
#include "faults/power.h"

namespace {

using namespace postern::test;

constexpr std::size_t kPage = 4096;

bool is_failure(const Answer& answer) { return answer.status == 503 || answer.status == 500; }

/// What must never be, whatever the file holds now.
void check_nothing_revived(SampleInstallation& there) {
    Host host(Host::Life::one_request);
    host.take(there.op);
    const Answer spent = as_client(there.op, "introspect", {{"token", there.rotated.refresh_token}}, kOther);
    CHECK(spent.body.find("\"active\":true") == std::string::npos);
    CHECK((spent.status == 200 || spent.status == 401 || is_failure(spent)));
    const std::vector<Answer> answers = {
        redeem(there.op, token_request(there.held.code)),
        as_client(there.op, "token", {{"grant_type", "refresh_token"}, {"refresh_token", there.rotated.refresh_token}}),
        as_client(there.op, "introspect", {{"token", "nonsense"}}, kOther)};
    for (const Answer& answer : answers) {
        CHECK(answer.body.find("access_token\"") == std::string::npos);
        CHECK(answer.body.find("\"active\":true") == std::string::npos);
        CHECK((answer.status == 200 || answer.status == 400 || answer.status == 401 || is_failure(answer)));
    }
}

/// Everything in the one file, an empty log.
Files whole_files(SampleInstallation& there) {
    sqlite3* connection = nullptr;
    REQUIRE(sqlite3_open(there.op.database_file().c_str(), &connection) == SQLITE_OK);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    REQUIRE(sqlite3_exec(connection, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(connection);
    return there.files();
}

TEST_CASE("damaged page: with any page and any content, nothing used becomes valid again [S10, S14]") {
    SampleInstallation& there = sample_installation();
    const Files whole = whole_files(there);
    const std::string database = there.op.database_file().string();
    const std::size_t pages = whole.at(database).size() / kPage;
    REQUIRE(pages > 20);
    const std::size_t stride = std::getenv("POSTERN_LONG") ? 1 : 4;
    int tried = 0;
    for (std::size_t page = 0; page < pages; page += page < 4 ? 1 : stride) {
        const std::size_t other = (page + 3) % pages;
        const std::string neighbour = whole.at(database).substr(other * kPage, kPage);
        const std::string half = whole.at(database).substr(page * kPage, kPage / 2) + std::string(kPage / 2, '\0');
        for (const std::string& bytes : {std::string(kPage, '\0'), std::string(kPage, '\x5a'), neighbour, half}) {
            CAPTURE(page);
            Files damaged = whole;
            damaged[database].replace(page * kPage, kPage, bytes);
            there.put(damaged);
            check_nothing_revived(there);
            ++tried;
        }
    }
    MESSAGE(tried << " damaged pages");
}

TEST_CASE("damaged index: one that belongs to another table revives nothing [S10, S14]") {
    SampleInstallation& there = sample_installation();
    const Files whole = whole_files(there);
    constexpr const char* kMixed[][2] = {{"authorization_codes_by_grant", "refresh_tokens_opaque"},
                                         {"grants_by_client", "grants_by_subject"},
                                         {"grants_by_sid", "sessions_by_subject"}};
    for (const auto& mixed : kMixed) {
        const std::string one = mixed[0];
        const std::string other = mixed[1];
        CAPTURE(one);
        there.put(whole);
        sqlite3* connection = nullptr;
        REQUIRE(sqlite3_open(there.op.database_file().c_str(), &connection) == SQLITE_OK);
        const std::string sql =
            std::string("PRAGMA writable_schema = 1; UPDATE sqlite_master SET rootpage = (SELECT ") +
            "rootpage FROM sqlite_master WHERE name = '" + other + "') WHERE name = '" + one + "'";
        REQUIRE(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
        sqlite3_close(connection);
        REQUIRE(read_contents(there.op.database_file().string()).problem != "");
        check_nothing_revived(there);
    }
}

TEST_CASE("truncated WAL: the database is as one of its commits left it, whichever part is missing [S10]") {
    SampleInstallation& there = sample_installation();
    const std::string database = there.op.database_file().string();
    const std::string log = database + "-wal";
    std::vector<std::string> states;
    Files files;
    {
        Host host(Host::Life::long_one);
        host.take(there.op);
        const Recording recording(database);
        for (const char* name : {"code exchange", "refresh", "client credentials", "revocation of an access token"})
            REQUIRE(operation(name).done(operation(name).perform(there)));
        for (const Recording::Commit& commit : recording.commits()) states.push_back(commit.contents);
        files = there.files();
    }
    const std::string whole = files.at(log);
    const std::size_t begin = sample_installation().files().at(log).size();
    REQUIRE(whole.size() > begin);
    const std::size_t stride = std::getenv("POSTERN_LONG") ? 64 : 1111;
    std::size_t last = 0;
    for (std::size_t size = begin; size <= whole.size(); size += stride) {
        CAPTURE(size);
        files[log] = whole.substr(0, size);
        const Contents contents = contents_of(files, database);
        CHECK(contents.problem == "");
        const auto found = std::ranges::find(states, contents.rows);
        REQUIRE(found != states.end());
        const auto now = static_cast<std::size_t>(found - states.begin());
        CHECK(now >= last);
        last = now;
    }
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{1}, std::size_t{31}, std::size_t{32}, std::size_t{100}}) {
        CAPTURE(size);
        files[log] = whole.substr(0, size);
        CHECK(contents_of(files, database).problem == "");
        there.put(files);
        Host host(Host::Life::one_request);
        host.take(there.op);
        CHECK(operation("client credentials").done(operation("client credentials").perform(there)));
    }
}

TEST_CASE("shortened log: under a running server it is an error, not an older truth [S10, S14]") {
    for (const std::size_t size : {std::size_t{0}, std::size_t{40}, kPage}) {
        CAPTURE(size);
        SampleInstallation& there = sample_installation();
        Host host(Host::Life::long_one);
        host.take(there.op);
        const Operation& reuse = operation("refresh token reuse");
        const Operation& revocation = operation("revocation of a refresh token");
        REQUIRE(revocation.done(revocation.perform(there)));
        REQUIRE(reuse.done(reuse.perform(there)));
        host.start("introspect", there.op);  // nothing is in its memory yet
        std::filesystem::resize_file(there.op.database_file().string() + "-wal", size);
        for (const std::string& token : {there.held.access_token, there.held.refresh_token, there.successor}) {
            const Answer answer = as_client(there.op, "introspect", {{"token", token}}, kOther);
            CHECK(answer.body.find("\"active\":true") == std::string::npos);
        }
    }
}

}  // namespace
