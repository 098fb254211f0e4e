#include "store/token_list.h"

#include <set>

#include "support/rows.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ClientId;
using model::GrantId;
using model::Subject;
using model::ValueHash;
using store::Listed;

namespace {

std::string listed(db::Database& database, const store::GrantFilter& filter, Listed which, Time now = kNow) {
    std::string text;
    for (const auto& each : store::list_tokens(database, filter, now, which)) {
        text += each.grant_id.str() + each.kind.substr(0, 2);
        text += each.active ? " " : "! ";
    }
    return text;
}

std::string living(db::Database& database, const store::GrantFilter& filter) {
    std::string text;
    for (const auto& id : store::find_living_grants(database, filter)) text += id.str();
    return text;
}

}  // namespace

TEST_CASE("list_tokens: a row for each code and token, the oldest first, with what its table and grant say") {
    auto database = with_tokens();
    const auto tokens = test::all_of(store::list_tokens(database, {}, kNow, Listed::active));
    REQUIRE(tokens.size() == 12);
    const auto& code = tokens.front();
    CHECK(code.kind == "authorization_code");
    CHECK(code.grant_id == GrantId("b"));
    CHECK(code.client_id == ClientId("client"));
    CHECK(code.subject == Subject("sub-1"));
    CHECK(code.username == "alice");
    CHECK(code.scope == "openid profile");
    CHECK(code.jti.empty());
    CHECK(code.issued_at == kNow - Seconds{20});
    CHECK(code.expires_at == kNow + Seconds{60});
    const auto& access = tokens[4];
    CHECK(access.kind == "access_token");
    CHECK(access.grant_id == GrantId("a"));
    CHECK(access.username == "bob");
    CHECK(access.scope == "openid");  // its own, which may be narrower
    CHECK(access.jti == "a.random");
    CHECK(access.issued_at == kNow);
    CHECK(access.expires_at == kNow + Seconds{900});
    const auto& refresh = tokens[5];
    CHECK(refresh.kind == "refresh_token");
    CHECK(refresh.scope == "openid profile");
    CHECK(refresh.expires_at == kNow + Seconds{86400});
    CHECK(tokens.back().subject.empty());
    CHECK(tokens.back().username.empty());
}

TEST_CASE("list_tokens: of one client, one user, given before a moment, or all of these at once") {
    struct Row {
        store::GrantFilter filter;
        const char* grants;  ///< living, by id
    };
    const Row rows[] = {
        {{}, "abcd"},
        {{ClientId("client"), {}, {}}, "ab"},
        {{{}, Subject("sub-1"), {}}, "bc"},
        {{ClientId("other"), Subject("sub-1"), {}}, "c"},
        {{{}, {}, kNow - Seconds{5}}, "ab"},
        {{{}, {}, kNow - Seconds{4}}, "abc"},
        {{ClientId("client"), Subject("sub-1"), kNow - Seconds{20}}, ""},
        {{ClientId("client"), Subject("sub-1"), kNow - Seconds{19}}, "b"},
        {{ClientId("Client"), {}, {}}, ""},
        {{{}, Subject(""), {}}, ""},
    };
    auto database = with_tokens();
    for (const auto& row : rows) {
        CAPTURE(row.grants);
        CHECK(living(database, row.filter) == row.grants);
        std::set<char> ids;
        for (const auto& each : store::list_tokens(database, row.filter, kNow, Listed::active))
            ids.insert(each.grant_id.str().front());
        CHECK(std::string(ids.begin(), ids.end()) == row.grants);
    }
    written(database, store::end_grant, GrantId("b"), kNow);
    CHECK(living(database, {}) == "acd");
}

TEST_CASE("list_tokens: active is what could be presented now; the rest is listed only when everything is asked for") {
    struct Row {
        const char* when;
        void (*change)(db::Transaction&);
        Time now;
        const char* everything;
    };
    const store::GrantFilter filter{ClientId("client"), Subject("sub-1"), {}};
    const Row rows[] = {
        {"nothing", [](auto&) {}, kNow, "bau bac bre "},
        {"the code is spent", [](auto& t) { store::redeem_code(t, ValueHash("code b"), kNow); }, kNow, "bau! bac bre "},
        {"the code is burned", [](auto& t) { store::burn_code(t, ValueHash("code b"), kNow); }, kNow, "bau! bac bre "},
        {"the access token is revoked",
         [](auto& t) { store::revoke_access_token(t, key_in(t.database(), "token b"), kNow); }, kNow, "bau bac! bre "},
        {"the refresh token is revoked", [](auto& t) { store::revoke_refresh_tokens(t, GrantId("b"), kNow); }, kNow,
         "bau bac bre! "},
        {"the refresh token is used", [](auto& t) { rotate(t, "refresh of b", kNow, Seconds{10}); }, kNow,
         "bau bac bre! "},
        {"the grant has ended", [](auto& t) { store::end_grant(t, GrantId("b"), kNow); }, kNow, "bau! bac! bre! "},
        {"the client is disabled",
         [](auto& t) {
             auto disabled = client();
             disabled.enabled = false;
             store::update_client(t, disabled);
         },
         kNow, "bau! bac! bre! "},
        {"the user is disabled",
         [](auto& t) {
             auto disabled = user();
             disabled.enabled = false;
             store::update_user(t, disabled);
         },
         kNow, "bau! bac! bre! "},
        {"a minute later", [](auto&) {}, kNow + Seconds{60}, "bau! bac bre "},
        {"fifteen minutes later", [](auto&) {}, kNow + Seconds{900}, "bau! bac! bre "},
        {"a day later", [](auto&) {}, kNow + Seconds{86400}, "bau! bac! bre! "},
    };
    for (const auto& row : rows) {
        CAPTURE(row.when);
        auto database = with_tokens();
        written(database, [&](auto& t) { row.change(t); });
        const std::string everything = listed(database, filter, Listed::everything, row.now);
        CHECK(everything == row.everything);
        std::string active;
        for (std::size_t at = 0; at < everything.size(); at = everything.find(' ', at) + 1) {
            const auto word = everything.substr(at, everything.find(' ', at) - at);
            if (!word.ends_with('!')) active += word + " ";
        }
        CHECK(listed(database, filter, Listed::active, row.now) == active);
    }
}
