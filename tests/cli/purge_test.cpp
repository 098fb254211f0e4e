// `postern purge`: deletes what has expired or ended, and nothing that a rule may still ask for.
#include <doctest/doctest.h>

#include <filesystem>

#include "preconditions.h"
#include "store/grants.h"
#include "store/login_attempts.h"

using namespace postern;
using namespace postern::test;

namespace {

std::string counts_of(const json::Value& deleted) {
    REQUIRE(deleted.if_object());
    std::string text;
    for (const auto& [table, rows] : deleted.if_object()->members()) {
        if (*rows.if_integer() != 0) text += table + " " + std::to_string(*rows.if_integer()) + ", ";
    }
    return text;
}

}  // namespace

TEST_CASE("purge: a living installation is left as it is") {
    const Installation installation;
    put_sample(installation);
    put_session(installation, "ada 1", "ada");
    put_consent(installation, "wiki", "ada", "openid");
    const auto deleted = installation.must_json({"purge"});
    CHECK(counts_of(deleted).empty());
    CHECK(deleted.if_object()->size() == 16);
    CHECK(living_grants(installation) == "ada mail,ada wiki,bob wiki,mail");
    for (const char* table : {"sessions", "consents"}) CHECK(count_rows(installation, table) == 1);
}

TEST_CASE("purge: everything at once, however much it is, counted by table; a second time there is nothing left") {
    const Installation installation;
    put_sample(installation);
    constexpr int kMany = 1000;
    {
        auto database = installation.open();
        db::Transaction transaction(database, db::Durability::lazy);
        for (int i = 0; i < kMany; ++i) {
            model::Grant grant;
            grant.id = model::GrantId("old " + std::to_string(i));
            grant.client_id = model::ClientId("wiki");
            grant.subject = model::Subject("sub of ada");
            grant.created_at = given_at() - util::Seconds{90000};
            store::insert_grant(transaction, grant);
            model::AuthorizationCode code;
            code.code_hash = model::ValueHash("old " + std::to_string(i));
            code.grant_id = grant.id;
            code.expires_at = grant.created_at + util::Seconds{60};
            store::insert_code(transaction, code);
        }
        store::end_grant(transaction, model::GrantId("ada mail"), given_at() - util::Seconds{1});
        store::count_failures(transaction, {"key"}, given_at() - util::Seconds{1000}, util::Seconds{900});
        transaction.commit();
    }
    CHECK(counts_of(installation.must_json({"purge"})) ==
          "access_tokens 1, authorization_codes 1001, grants 1001, login_attempts 1, refresh_tokens 1, ");
    CHECK(count_rows(installation, "grants") == 3);
    CHECK(counts_of(installation.must_json({"purge"})).empty());
    const std::string table = installation.must({"purge"});
    CHECK(table.starts_with("TABLE"));
    CHECK(has(table, "refresh_tokens          0\n"));
}

TEST_CASE("purge: access tokens that have expired go from grants that live on, too") {
    const Installation installation;
    put_sample(installation);
    const auto before = count_rows(installation, "access_tokens");
    REQUIRE(before > 1);
    {
        auto database = installation.open();
        db::Transaction transaction(database, db::Durability::lazy);
        transaction.database().prepare("UPDATE access_tokens SET expires_at = 1 WHERE grant_id = 'ada wiki'").execute();
        transaction.commit();
    }
    CHECK(counts_of(installation.must_json({"purge"})) == "access_tokens 1, ");
    CHECK(count_rows(installation, "access_tokens") == before - 1);
    CHECK(count_rows(installation, "refresh_tokens") == before);
}

TEST_CASE("purge --quick: what the serving processes delete, and as late; tokens of grants that live on stay") {
    const Installation installation;
    put_sample(installation);
    {
        auto database = installation.open();
        db::Transaction transaction(database, db::Durability::lazy);
        transaction.database().prepare("UPDATE access_tokens SET expires_at = 1 WHERE grant_id = 'ada wiki'").execute();
        const util::Time now = util::SystemClock().now();
        for (const int ago : {30, 90}) {
            model::Grant grant;
            grant.id = model::GrantId("ended " + std::to_string(ago) + " s ago");
            grant.client_id = model::ClientId("wiki");
            grant.created_at = now - util::Seconds{ago};
            store::insert_grant(transaction, grant);
        }
        transaction.commit();
    }
    CHECK(counts_of(installation.must_json({"purge", "--quick"})) == "grants 1, ");
    CHECK(counts_of(installation.must_json({"purge", "--quick"})).empty());
    CHECK(counts_of(installation.must_json({"purge"})) == "access_tokens 1, grants 1, ");
}

TEST_CASE("purge: copies the log back into the database file afterwards") {
    const Installation installation;
    const auto before = std::filesystem::file_size(installation.database_file());
    put_sample(installation);
    {
        auto database = installation.open();
        db::Transaction transaction(database, db::Durability::lazy);
        for (int i = 0; i < 2000; ++i) {
            store::count_failures(transaction, {"key " + std::to_string(i)}, given_at(), kLonger);
        }
        transaction.commit();
    }
    CHECK(std::filesystem::file_size(installation.database_file()) == before);
    installation.must({"purge"});
    CHECK(std::filesystem::file_size(installation.database_file()) > before);
}
