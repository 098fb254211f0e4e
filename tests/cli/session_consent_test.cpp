// `postern session` and `postern consent`: who is logged in, what was approved, and what ends with either.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "preconditions.h"

using namespace postern;
using namespace postern::test;

namespace {

/// ada with two sessions, bob with one; each gave something, ada once for good.
void put_sessions(const Installation& installation) {
    put_sample(installation);
    put_session(installation, "ada 1", "ada");
    put_session(installation, "ada 2", "ada");
    put_session(installation, "bob 1", "bob");
    put_grant(installation, {.id = "s1", .user = "ada", .sid = "ada 1"});
    put_grant(installation, {.id = "s2", .user = "ada", .sid = "ada 2"});
    put_grant(installation, {.id = "s3", .user = "ada", .sid = "ada 2", .scope = "openid offline_access"});
    put_grant(installation, {.id = "s4", .user = "bob", .sid = "bob 1"});
}

std::string sids(const Installation& installation, const Words& filter = {}) {
    return listed(installation, {"session", "list"}, filter,
                  [](const json::Value& row) { return text_of(row, "sid"); });
}

void put_consents(const Installation& installation) {
    put_sample(installation);
    put_consent(installation, "wiki", "ada", "openid email");
    put_consent(installation, "mail", "ada", "openid");
    put_consent(installation, "wiki", "bob", "openid");
}

std::string consents(const Installation& installation, const Words& filter = {}) {
    return listed(installation, {"consent", "list"}, filter,
                  [](const json::Value& row) { return text_of(row, "username") + " " + text_of(row, "client_id"); });
}

}  // namespace

TEST_CASE("session list: which users are logged in, since when and until when; never the cookie") {
    const Installation installation;
    put_sessions(installation);
    CHECK(sids(installation) == "ada 1,ada 2,bob 1");
    CHECK(sids(installation, {"--user", "bob"}) == "bob 1");
    CHECK(sids(installation, {"--user", "sub of ada"}) == "ada 1,ada 2");
    const auto sessions = installation.must_json({"session", "list", "--user", "bob"});
    const auto& row = sessions.if_array()->front();
    CHECK(text_of(row, "username") == "bob");
    CHECK(text_of(row, "sub") == "sub of bob");
    const auto number = [&](const char* member) { return integer_of(row, member); };
    CHECK(number("auth_time") == util::to_epoch(given_at()) - 30);
    CHECK(number("iat") == util::to_epoch(given_at()) - 30);
    CHECK(number("last_seen_at") == util::to_epoch(given_at()) - 20);
    CHECK(number("exp") == util::to_epoch(given_at()) - 20 + 7200);  // sessionIdleTTL comes first
    CHECK_FALSE(has(installation.must({"session", "list", "--json"}), "hash of"));
    CHECK_FALSE(has(installation.must({"session", "list"}), "hash of"));
    CHECK(installation.postern({"session", "list", "--user", "eve"}).exit_code == 1);
}

TEST_CASE("session list: the configured idle time decides which sessions still count") {
    const Installation installation(Installation::Start::initialised, {{"sessionIdleTTL", 5}});
    put_sessions(installation);
    CHECK(sids(installation).empty());
}

TEST_CASE("session end: one user's sessions, open requests and grants without offline_access [OIDC Core §11e]") {
    const Installation installation;
    put_sessions(installation);
    const auto ended = installation.must_json({"session", "end", "--user", "ada"});
    CHECK(integer_of(ended, "sessions") == 2);
    CHECK(integer_of(ended, "grants") == 2);
    CHECK(sids(installation) == "bob 1");
    CHECK(living_grants(installation) == "ada mail,ada wiki,bob wiki,mail,s3,s4");
    CHECK(count_rows(installation, "authorization_requests") == 1);
    CHECK(installation.must({"session", "end", "--user", "ada"}) == "0 sessions and 0 grants made in them ended\n");
}

TEST_CASE("session end: all users' only with --all") {
    const Installation installation;
    put_sessions(installation);
    check_refused(installation, {"session", "end"},
                  {{{}, 2},
                   {{"--all", "--user", "ada"}, 2},
                   {{"--client", "wiki"}, 2},
                   {{"--user", "eve"}, 1},
                   {{"--user", ""}, 1}});
    CHECK(sids(installation) == "ada 1,ada 2,bob 1");
    CHECK(installation.must({"session", "end", "--all"}) == "3 sessions and 3 grants made in them ended\n");
    CHECK(sids(installation).empty());
    CHECK(living_grants(installation) == "ada mail,ada wiki,bob wiki,mail,s3");
    CHECK(count_rows(installation, "authorization_requests") == 0);
}

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
    CHECK(integer_of(row, "granted_at") == util::to_epoch(given_at()));
    const std::string table = installation.must({"consent", "list"});
    for (const char* part : {"ada", "bob", "wiki", "mail", "openid email", "phone_number"})
        CHECK_MESSAGE(has(table, part), part);
    CHECK(installation.postern({"consent", "list", "--user", "eve"}).exit_code == 1);
    CHECK(installation.postern({"consent", "list", "--client", "nobody's"}).exit_code == 1);
}

TEST_CASE(
    "consent revoke: ends what these users gave these clients, and asks them again what they have not answered [OIDC "
    "Core §16.18c]") {
    struct Row {
        Words filter;
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
        const auto revoked = installation.must_json(joined({"consent", "revoke"}, row.filter));
        CHECK(consents(installation) == row.consents);
        CHECK(living_grants(installation) == row.grants);
        CHECK(count_rows(installation, "consents") == 3 - integer_of(revoked, "consents"));
        CHECK(count_rows(installation, "grants WHERE ended_at IS NOT NULL") == integer_of(revoked, "grants"));
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
