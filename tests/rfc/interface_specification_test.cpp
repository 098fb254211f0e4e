// Sentences of the interface specification that no RFC has: the routes between authorization request and code, what is
// recorded on the way, and what UserInfo makes of the stored state of a token.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "db/database.h"
#include "has.h"
#include "oauth/access_token.h"
#include "store/grants.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
namespace db = postern::db;
namespace store = postern::store;

std::string route_of(const Answer& answer) {
    return std::to_string(answer.status) + " " + without_query(answer.location());
}

TEST_CASE(
    "routes: authorize, login, authorize, consent, authorize, client: each step one redirect, and back [IF1, IF65, "
    "IF66, IF70, IF71, IF72, IF74, IF102, IF112, IF113, IF114, IF115, RFC 6749 §1.7, §4.1.1c, §4.1.2.1d, §10.2a]") {
    struct Row {
        std::string button;
        std::string verdict;
    };
    for (const Row& row : {Row{"approve", "code"}, Row{"deny", "access_denied"}}) {
        CAPTURE(row.button);
        const Deployment op;
        UserAgent alice(op);
        const auto at = [&](const char* endpoint) { return "303 " + op.url(endpoint); };

        const Answer asked = alice.fetch(op.url("authorize") + "?" + authorization_request().text());
        CHECK(route_of(asked) == at("login"));
        const Landing login = alice.open(asked.location());
        CHECK(login.answer.status == 200);
        CHECK(find_form(login.answer.body)->method == "post");
        const Answer logged_in = alice.send(
            op.url("login"), alice.form_of(login, "login", {{"username", kAlice}, {"password", kAlicePassword}}));
        CHECK(route_of(logged_in) == at("authorize"));
        CHECK_FALSE(alice.session_cookie().empty());

        const Answer unapproved = alice.fetch(logged_in.location());
        CHECK(route_of(unapproved) == at("scopes"));
        const Landing consent = alice.open(unapproved.location());
        CHECK(consent.answer.status == 200);
        CHECK(find_form(consent.answer.body)->method == "post");
        const std::string shown = visible_text(consent.answer.body);
        for (const char* text : {"Web Application", "openid", "email"}) CHECK(has(shown, text));
        const Answer decided = alice.send(op.url("scopes"), alice.form_of(consent, row.button));
        CHECK(route_of(decided) == at("authorize"));

        const Answer done = alice.fetch(decided.location());
        CHECK(route_of(done) == "303 " + redirect_uri_of(kWeb));
        CHECK(verdict_of(op, done) == row.verdict);
    }
}

TEST_CASE(
    "authorize: audience and max_age of the request are recorded with its code, under either name [IF31, IF33, IF97, "
    "IF98]") {
    const Deployment op;
    UserAgent alice(op);
    struct Row {
        Query request;
        std::optional<std::string> audience;
        std::optional<std::int64_t> max_age;
    };
    const std::vector<Row> rows = {
        {authorization_request(), std::nullopt, std::nullopt},
        {authorization_request().with("aud", "https://a.example"), "https://a.example", std::nullopt},
        {authorization_request().with("audience", "https://b.example"), "https://b.example", std::nullopt},
        {authorization_request().with("max_age", "77"), std::nullopt, 77},
    };
    for (const Row& row : rows) {
        CAPTURE(row.request.text());
        const std::string code = alice.obtain_code(row.request);
        db::Database database(op.database(), db::Access::query_only);
        const auto stored = store::find_code(database, postern::oauth::hash_of(code));
        REQUIRE(stored);
        CHECK(stored->code.audience == row.audience);
        CHECK((stored->code.max_age ? std::optional(stored->code.max_age->count()) : std::nullopt) == row.max_age);
    }
}

TEST_CASE(
    "userinfo: no audience check is made, every access token that this server issued is good there [IF155, IF181]") {
    const Deployment op;
    UserAgent alice(op);
    for (const std::string audience : {"", "https://rs.example", "urn:somebody:else"}) {
        CAPTURE(audience);
        const std::string code = alice.obtain_code(authorization_request());
        const Answer tokens = redeem(op, token_request(code).with("audience", audience));
        REQUIRE(tokens.verdict() == "200");
        CHECK(text_of(jwt_claims(tokens.member("access_token")), "aud") == audience);
        CHECK(userinfo(op, tokens.member("access_token")).status == 200);
    }
}

TEST_CASE(
    "stored state: without a live record no signature makes a token active, here or at introspection [IF20, IF23, "
    "IF56, IF57, IF129, IF130, IF133, IF157, IF158, U07]") {
    struct Row {
        const char* when;
        const char* sql;
        bool active;
    };
    const Row rows[] = {
        {"untouched", "", true},
        {"record deleted", "DELETE FROM access_tokens", false},
        {"expiry set to zero", "UPDATE access_tokens SET expires_at = 0", false},
        {"marked as revoked, kept with its expiry in the future", "UPDATE access_tokens SET revoked_at = issued_at",
         false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Deployment op;
        UserAgent alice(op);
        const std::string token = text_of(obtain_tokens(op, alice, authorization_request()), "access_token");
        if (*row.sql != '\0') {
            db::Database database(op.database(), db::Access::read_write);
            db::Transaction transaction(database, db::Durability::full);
            CHECK(database.prepare(row.sql).execute() == 1);
            transaction.commit();
        }
        CHECK(is_active(op, token) == row.active);
        CHECK(userinfo(op, token).verdict() == (row.active ? "200" : "401 invalid_token"));
    }
}

}  // namespace
