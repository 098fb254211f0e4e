// `postern token`, `session` and `consent`: what is out there is shown without being given away, and ends for whom it
// shall and nobody else.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "json/reader.h"
#include "preconditions.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"
#include "util/text.h"

using namespace postern;
using namespace postern::test;

namespace {

const json::Array& rows_of(const json::Value& value) {
    REQUIRE(value.if_array() != nullptr);
    return *value.if_array();
}

std::int64_t number(const json::Value& value, const char* member) {
    const auto* found = member_of(value, member).if_integer();
    REQUIRE(found != nullptr);
    return *found;
}

std::string at(util::Time time) { return std::to_string(util::to_epoch(time)); }

/// The grants that are listed, in order, separated by commas.
std::string listed_grants(const Installation& installation, Words filter) {
    filter.insert(filter.begin(), {"token", "list"});
    std::set<std::string> ids;
    const auto tokens = installation.must_json(filter);
    for (const auto& row : rows_of(tokens)) ids.insert(text_of(row, "grant_id"));
    std::string text;
    for (const auto& id : ids) text += (text.empty() ? "" : ",") + id;
    return text;
}

}  // namespace

TEST_CASE("token list: each code and token by the names of RFC 7662 §2.2, and never its value or digest") {
    const Installation installation;
    put_sample(installation);
    const auto tokens = installation.must_json({"token", "list"});
    REQUIRE(rows_of(tokens).size() == 12);
    std::set<std::string> kinds;
    for (const auto& row : rows_of(tokens)) {
        kinds.insert(text_of(row, "kind"));
        CHECK(text_of(row, "scope") == "openid");
        CHECK(flag_of(row, "active"));
        CHECK(number(row, "iat") <= util::to_epoch(given_at()));
        CHECK(number(row, "exp") > util::to_epoch(given_at()));
        CHECK((row.if_object()->find("jti") != nullptr) == (text_of(row, "kind") == "access_token"));
    }
    CHECK(kinds == std::set<std::string>{"access_token", "authorization_code", "refresh_token"});
    const auto& oldest = rows_of(tokens).front();
    CHECK(text_of(oldest, "grant_id") == "ada wiki");
    CHECK(text_of(oldest, "client_id") == "wiki");
    CHECK(text_of(oldest, "username") == "ada");
    CHECK(text_of(oldest, "sub") == "sub of ada");
    for (const auto& row : rows_of(tokens)) {
        if (text_of(row, "grant_id") != "mail") continue;
        CHECK(text_of(row, "sub") == "mail");  // as its tokens say
        CHECK(row.if_object()->find("username") == nullptr);
    }
    for (const Words& arguments : std::vector<Words>{{"token", "list"}, {"token", "list", "--inactive", "--json"}})
        CHECK_FALSE(has(installation.must(arguments), "hash of"));
}

TEST_CASE("token list, token revoke: mean what all options together say [OIDC Core §16.18c]") {
    struct Row {
        Words filter;
        const char* meant;
        const char* left;
    };
    const auto day_ago = given_at() - util::Seconds{86400};
    const Row rows[] = {
        {{"--user", "ada"}, "ada mail,ada wiki", "bob wiki,mail"},
        {{"--user", "sub of ada"}, "ada mail,ada wiki", "bob wiki,mail"},
        {{"--client", "wiki"}, "ada wiki,bob wiki", "ada mail,mail"},
        {{"--client", "mail"}, "ada mail,mail", "ada wiki,bob wiki"},
        {{"--user", "ada", "--client", "wiki"}, "ada wiki", "ada mail,bob wiki,mail"},
        {{"--user", "bob", "--client", "mail"}, "", "ada mail,ada wiki,bob wiki,mail"},
        {{"--before", at(day_ago)}, "", "ada mail,ada wiki,bob wiki,mail"},
        {{"--before", at(day_ago + util::Seconds{1})}, "ada wiki", "ada mail,bob wiki,mail"},
        {{"--before", at(day_ago + util::Seconds{2})}, "ada mail,ada wiki", "bob wiki,mail"},
        {{"--before", at(given_at())}, "ada mail,ada wiki,bob wiki", "mail"},
        {{"--before", at(given_at() + util::Seconds{9})}, "ada mail,ada wiki,bob wiki,mail", ""},
        {{"--user", "ada", "--before", at(day_ago + util::Seconds{1})}, "ada wiki", "ada mail,bob wiki,mail"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.meant);
        const Installation installation;
        put_sample(installation);
        CHECK(listed_grants(installation, row.filter) == row.meant);
        const Words revoke = joined({"token", "revoke"}, row.filter);
        const std::string meant = row.meant;
        const auto grants = meant.empty() ? 0 : std::count(meant.begin(), meant.end(), ',') + 1;
        CHECK(number(installation.must_json(revoke), "grants") == grants);
        CHECK(living_grants(installation) == row.left);
        CHECK(listed_grants(installation, {}) == row.left);
        CHECK(number(installation.must_json(revoke), "grants") == 0);
    }
}

TEST_CASE("token revoke: all users' only with --all, none when an argument is wrong") {
    const Installation installation;
    put_sample(installation);
    check_refused(installation, {"token", "revoke"},
                  {{{}, 2},
                   {{"--all", "--user", "ada"}, 2},
                   {{"--all", "--client", "wiki"}, 2},
                   {{"--all", "--before", "1"}, 2},
                   {{"--user"}, 2},
                   {{"--before", "yesterday"}, 2},
                   {{"--user", "ada", "--before", "2026-01-31"}, 2},
                   {{"ada"}, 2},
                   {{"--user", "eve"}, 1},
                   {{"--user", ""}, 1},
                   {{"--user", "Ada"}, 1},
                   {{"--client", "wik"}, 1},
                   {{"--client", ""}, 1},
                   {{"--user", "eve", "--client", "wiki"}, 1},
                   {{"--user", "ada", "--client", "nobody's"}, 1}});
    CHECK(living_grants(installation) == "ada mail,ada wiki,bob wiki,mail");
    CHECK(installation.must({"token", "revoke", "--all"}) == "4 grants ended, with all codes and tokens\n");
    CHECK(living_grants(installation).empty());
}

TEST_CASE("token list: --before takes seconds since 1970 and what RFC 3339 §5.6 calls a date-time, nothing else") {
    const Installation installation;
    put_user(installation, "ada");
    put_client(installation, "wiki");
    const util::Time moment = util::from_epoch(1767225600);  // 2026-01-01T00:00:00Z
    put_grant(installation, {.id = "g", .ago = given_at() - moment});
    struct Row {
        const char* time;
        bool listed;  ///< what was given at the moment
    };
    const Row accepted[] = {
        {"0", false},
        {"1767225600", false},
        {"1767225601", true},
        {"2026-01-01T00:00:00Z", false},
        {"2026-01-01T00:00:01Z", true},
        {"2026-01-01t00:00:01z", true},
        {"2026-01-01 00:00:01Z", true},
        {"2026-01-01T00:00:00.000Z", false},
        {"2026-01-01T00:00:00.001Z", true},
        {"2025-12-31T23:59:59.999999Z", false},
        {"2025-12-31T23:59:60Z", false},  // the leap second that was not
        {"2026-01-01T01:00:00+01:00", false},
        {"2026-01-01T01:00:01+01:00", true},
        {"2025-12-31T18:30:00-05:30", false},
        {"2025-12-31T18:30:01-05:30", true},
        {"2026-01-01T00:00:01-00:00", true},
        {"2024-02-29T00:00:00Z", false},
        {"9999-12-31T23:59:59Z", true},
    };
    for (const auto& row : accepted) {
        CAPTURE(row.time);
        CHECK(listed_grants(installation, {"--before", row.time}) == (row.listed ? "g" : ""));
    }
    const std::string_view wrong =
        "| |-1|+1|1.5|1e9|now|99999999999999|2026-01-01|2026-01-01T00:00Z|2026-01-01T00:00:00|"
        "2026-01-01 T00:00:00Z|2026-13-01T00:00:00Z|2026-00-01T00:00:00Z|2026-02-29T00:00:00Z|"
        "2026-01-32T00:00:00Z|2026-01-00T00:00:00Z|2026-01-01T24:00:00Z|2026-01-01T00:60:00Z|"
        "2026-01-01T00:00:61Z|2026-01-01T00:00:00.Z|2026-01-01T00:00:00,5Z|2026-01-01T00:00:00+0100|"
        "2026-01-01T00:00:00+24:00|2026-01-01T00:00:00+01:60|2026-01-01T00:00:00UTC|2026-1-1T00:00:00Z|"
        "26-01-01T00:00:00Z|2026/01/01T00:00:00Z|2026-01-01X00:00:00Z|2026-01-01T00:00:00ZZ|"
        "20260101T000000Z";
    for (const std::string_view each : util::split(wrong, '|')) {
        const std::string refused(each);
        CAPTURE(refused);
        const auto result = installation.postern({"token", "list", "--before", refused});
        CHECK(result.exit_code == 2);
        CHECK(is_one_plain_line(result.err));
    }
}

TEST_CASE("token list: what was used, revoked or has expired is shown only with --inactive, and as such") {
    const Installation installation;
    put_sample(installation);
    write(installation, [&](db::Transaction& transaction) {
        store::redeem_code(transaction, model::ValueHash("hash of code ada wiki"), given_at());
        model::RefreshToken used;
        used.grant_id = model::GrantId("ada wiki");
        used.token_hash = model::ValueHash("hash of refresh token ada wiki");
        store::rotate_refresh_token(transaction, used, model::ValueHash("next"), given_at(), util::Seconds{10});
        store::end_grant(transaction, model::GrantId("ada mail"), given_at());
    });
    const auto count = [&](Words arguments, bool active) {
        const auto tokens = installation.must_json(std::move(arguments));
        return std::count_if(rows_of(tokens).begin(), rows_of(tokens).end(),
                             [&](const json::Value& row) { return flag_of(row, "active") == active; });
    };
    CHECK(count({"token", "list"}, true) == 7);
    CHECK(count({"token", "list"}, false) == 0);
    CHECK(count({"token", "list", "--inactive"}, true) == 7);
    CHECK(count({"token", "list", "--inactive"}, false) == 5);
    CHECK(count({"token", "list", "--inactive", "--user", "ada"}, false) == 5);
    CHECK(count({"token", "list", "--inactive", "--user", "bob"}, false) == 0);
}

TEST_CASE("token list, token revoke: thousands of grants are listed and revoked") {
    const Installation installation;
    put_user(installation, "ada");
    put_client(installation, "wiki");
    constexpr int kGrants = 3001;
    write(installation, [&](db::Transaction& transaction) {
        for (int i = 0; i < kGrants; ++i) {
            model::Grant grant;
            grant.id = model::GrantId("grant " + std::to_string(i));
            grant.client_id = model::ClientId("wiki");
            grant.subject = model::Subject("sub of ada");
            grant.created_at = given_at();
            store::insert_grant(transaction, grant);
            model::RefreshToken token;
            token.token_hash = model::ValueHash("hash " + std::to_string(i));
            token.grant_id = grant.id;
            token.issued_at = given_at();
            token.expires_at = given_at() + util::Seconds{86400};
            store::insert_refresh_token(transaction, token);
        }
    });
    constexpr json::Limits kLarge{.bytes = 1 << 24, .depth = 4, .nodes = 1 << 20};
    const auto tokens = json::parse(installation.must({"token", "list", "--json"}), json::Dialect::strict, kLarge);
    REQUIRE(tokens);
    CHECK(rows_of(*tokens).size() == kGrants);
    const std::string table = installation.must({"token", "list"});
    CHECK(std::count(table.begin(), table.end(), '\n') == kGrants + 1);
    CHECK(number(installation.must_json({"token", "revoke", "--user", "ada"}), "grants") == kGrants);
    CHECK(living_grants(installation).empty());
    CHECK(rows_of(installation.must_json({"token", "list"})).empty());
}

TEST_CASE("token list: a name cannot drive the terminal") {
    const Installation installation;
    put_client(installation, "wiki");
    put_user(installation,
             "a\x1b]0;x\x07"
             "b");
    put_grant(installation, {.id = "g",
                             .client = "wiki",
                             .user = "a\x1b]0;x\x07"
                                     "b"});
    CHECK(installation.must({"token", "list"}).find('\x1b') == std::string::npos);
    CHECK(installation.must({"token", "list", "--json"}).find('\x1b') == std::string::npos);
}

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
