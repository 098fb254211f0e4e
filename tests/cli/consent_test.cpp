// `postern consent`: what was approved, and what its withdrawal takes along.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "preconditions.h"

using namespace postern;
using namespace postern::test;

namespace {

void put_consents(const Installation& installation) {
    put_sample(installation);
    put_consent(installation, "wiki", "ada", "openid email");
    put_consent(installation, "mail", "ada", "openid");
    put_consent(installation, "wiki", "bob", "openid");
}

std::string consents(const Installation& installation, const std::vector<std::string>& filter = {}) {
    return listed(installation, {"consent", "list"}, filter,
                  [](const json::Value& row) { return text_of(row, "username") + " " + text_of(row, "client_id"); });
}

}  // namespace

TEST_CASE("consent list: which user approved what for which client, and when") {
    const Installation installation;
    put_consents(installation);
    CHECK(consents(installation) == "ada mail,ada wiki,bob wiki");
    CHECK(consents(installation, {"--user", "ada"}) == "ada mail,ada wiki");
    CHECK(consents(installation, {"--client", "wiki"}) == "ada wiki,bob wiki");
    CHECK(consents(installation, {"--client", "wiki", "--user", "sub of ada"}) == "ada wiki");
    CHECK(consents(installation, {"--client", "mail", "--user", "bob"}).empty());
    const auto listed = installation.must_json({"consent", "list", "--client", "wiki", "--user", "ada"});
    const auto& row = listed.if_array()->front();
    CHECK(text_of(row, "sub") == "sub of ada");
    CHECK(text_of(row, "scope") == "openid email");
    CHECK(words_of(row, "claims") == "phone_number");
    CHECK(*member_of(row, "granted_at").if_integer() == util::to_epoch(given_at()));
    const std::string table = installation.must({"consent", "list"});
    for (const char* part : {"ada", "bob", "wiki", "mail", "openid email", "phone_number"})
        CHECK_MESSAGE(table.find(part) != std::string::npos, part);
    CHECK(installation.postern({"consent", "list", "--user", "eve"}).exit_code == 1);
    CHECK(installation.postern({"consent", "list", "--client", "nobody's"}).exit_code == 1);
}

TEST_CASE(
    "consent revoke: ends what these users gave these clients, and asks them again what they have not answered [OIDC "
    "Core §16.18c]") {
    struct Row {
        std::vector<std::string> filter;
        const char* consents;
        const char* grants;
        int requests;
    };
    const Row rows[] = {
        {{"--user", "ada", "--client", "wiki"}, "ada mail,bob wiki", "ada mail,bob wiki,mail", 1},
        {{"--user", "ada"}, "bob wiki", "bob wiki,mail", 1},
        {{"--client", "wiki"}, "ada mail", "ada mail,mail", 0},
        {{"--client", "mail"}, "ada wiki,bob wiki", "ada wiki,bob wiki,mail", 1},
        {{"--client", "mail", "--user", "bob"}, "ada mail,ada wiki,bob wiki", "ada mail,ada wiki,bob wiki,mail", 2},
        {{"--all"}, "", "mail", 0},
    };
    for (const auto& row : rows) {
        CAPTURE(row.grants);
        const Installation installation;
        put_consents(installation);
        put_session(installation, "ada 1", "ada");
        put_session(installation, "bob 1", "bob");
        auto arguments = row.filter;
        arguments.insert(arguments.begin(), {"consent", "revoke"});
        const auto revoked = installation.must_json(arguments);
        CHECK(consents(installation) == row.consents);
        CHECK(living_grants(installation) == row.grants);
        CHECK(count_rows(installation, "consents") == 3 - *member_of(revoked, "consents").if_integer());
        CHECK(count_rows(installation, "grants WHERE ended_at IS NOT NULL") ==
              *member_of(revoked, "grants").if_integer());
        CHECK(count_rows(installation, "authorization_requests") == row.requests);
        CHECK(count_rows(installation, "sessions") == 2);
    }
}

TEST_CASE("consent revoke: all users' only with --all, none when a name is wrong") {
    const Installation installation;
    put_consents(installation);
    check_refused(installation, {"consent", "revoke"},
                  {{{}, 2},
                   {{"--all", "--user", "ada"}, 2},
                   {{"--all", "--client", "wiki"}, 2},
                   {{"--before", "1"}, 2},
                   {{"--user", "eve"}, 1},
                   {{"--client", "nobody's"}, 1},
                   {{"--user", "ada", "--client", ""}, 1}});
    CHECK(consents(installation) == "ada mail,ada wiki,bob wiki");
    CHECK(installation.must({"consent", "revoke", "--user", "bob"}) == "1 consent withdrawn, 1 grant ended\n");
}
