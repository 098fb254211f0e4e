// `postern session`: who is logged in, and what a logout by the operator ends.
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

std::string sids(const Installation& installation, const std::vector<std::string>& filter = {}) {
    return listed(installation, {"session", "list"}, filter,
                  [](const json::Value& row) { return text_of(row, "sid"); });
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
    const auto number = [&](const char* member) { return *member_of(row, member).if_integer(); };
    CHECK(number("auth_time") == util::to_epoch(given_at()) - 30);
    CHECK(number("iat") == util::to_epoch(given_at()) - 30);
    CHECK(number("last_seen_at") == util::to_epoch(given_at()) - 20);
    CHECK(number("exp") == util::to_epoch(given_at()) - 20 + 7200);  // sessionIdleTTL comes first
    CHECK(installation.must({"session", "list", "--json"}).find("hash of") == std::string::npos);
    CHECK(installation.must({"session", "list"}).find("hash of") == std::string::npos);
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
    CHECK(*member_of(ended, "sessions").if_integer() == 2);
    CHECK(*member_of(ended, "grants").if_integer() == 2);
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
