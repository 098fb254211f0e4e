// The main job from end to end: a person signs in, a client gets tokens.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

TEST_CASE(
    "code flow: from the application's link to the user's claims, step by step [IF1, IF2, IF52, RFC 6749 §3.1a]") {
    const Deployment op;
    UserAgent alice(op);

    const Landing login = alice.authorize(authorization_request());
    CHECK(login.verdict() == "login");
    CHECK(without_query(login.url) == op.url("login"));
    CHECK(visible_text(login.answer.body).find("Web Application") != std::string::npos);
    CHECK(alice.cookies().size() == 1);
    CHECK(alice.session_cookie().empty());
    const std::string browser = alice.browser_cookie();
    CHECK(browser.size() >= 43);

    const Landing consent = alice.log_in(login);
    CHECK(consent.verdict() == "consent");
    CHECK(without_query(consent.url) == op.url("scopes"));
    CHECK(alice.session_cookie().size() >= 43);
    CHECK(alice.browser_cookie() == browser);
    const std::string text = visible_text(consent.answer.body);
    for (const std::string shown : {"Web Application", "alice", "openid", "email", "app.example"}) {
        CAPTURE(shown);
        CHECK(text.find(shown) != std::string::npos);
    }
    CHECK(text.find("phone") == std::string::npos);

    const Landing client = alice.approve(consent);
    CHECK(client.left);
    CHECK(without_query(client.url) == redirect_uri_of(kWeb));
    CHECK(client.parameter("state") == kState);
    CHECK(client.parameter("iss") == op.issuer());

    const Answer tokens = redeem(op, token_request(client.parameter("code")));
    REQUIRE(tokens.status == 200);
    CHECK(text_of(jwt_claims(tokens.member("id_token")), "nonce") == kNonce);
    const Answer claims = userinfo(op, tokens.member("access_token"));
    CHECK(claims.status == 200);
    CHECK(claims.member("email") == "alice@op.example");
    CHECK(claims.member("sub") == text_of(jwt_claims(tokens.member("id_token")), "sub"));
    CHECK(claims.json().find("phone_number") == nullptr);
}

TEST_CASE("code flow: every kind of client, with what its registration asks for [IF8]") {
    const Deployment op;
    for (const std::string client : {kWeb, kOther, kSpa, kNative, kTrusted, kStrict, kMany}) {
        CAPTURE(client);
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, authorization_request(client), client);
        CHECK(text_of(jwt_claims(text_of(tokens, "id_token")), "aud") == client);
        CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
    }
}

TEST_CASE("code flow: under a base path and on a loopback http issuer [IF73, OIDC Core §16.15]") {
    for (const std::string issuer : {"https://op.example/auth", "http://127.0.0.1:8080", "http://localhost:8080/op"}) {
        CAPTURE(issuer);
        Deployment::Options options;
        options.issuer = issuer;
        const Deployment op(options);
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, authorization_request());
        CHECK(text_of(jwt_claims(text_of(tokens, "id_token")), "iss") == issuer);
        CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
    }
}

TEST_CASE(
    "code flow: cookies have the flags of L01, and two issuers on one host do not share them [IF111, OIDC Core §16.15, "
    "L01]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request());
    const Answer started = alice.fetch(op.url("authorize") + "?" + authorization_request().text());
    CHECK_FALSE(started.has("Set-Cookie"));  // the browser has one
    UserAgent fresh(op);
    const Answer first = fresh.fetch(op.url("authorize") + "?" + authorization_request().text());
    const Answer logged_in = alice.send(
        op.url("login"), alice.form_of(login, "login", {{"username", kAlice}, {"password", kAlicePassword}}));
    for (const Answer* answer : {&first, &logged_in}) {
        const auto cookies = answer->all("Set-Cookie");
        REQUIRE(cookies.size() == 1);
        const std::string& cookie = cookies.front();
        CHECK(cookie.starts_with("__Host-postern-"));
        for (const std::string flag : {"; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"})
            CHECK(cookie.find(flag) != std::string::npos);
        for (const std::string flag : {"Domain", "Max-Age", "Expires"}) CHECK(cookie.find(flag) == std::string::npos);
    }
    Deployment::Options options;
    options.issuer = "https://op.example/other";
    const Deployment neighbour(options);
    UserAgent visitor(neighbour);
    visitor.authorize(authorization_request());
    for (const auto& cookie : visitor.cookies()) CHECK_FALSE(alice.cookies().contains(cookie.first));
}

TEST_CASE("code flow: a user who is logged in is not asked again, until the session ends [IF159, L04]") {
    Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    struct Row {
        std::string when;
        int seconds_later;
        std::string expected;
    };
    // 7200 s idle and 43200 s in all; each use counts.
    for (const Row& row : {Row{"at once", 0, "code"}, Row{"nearly idle", 7199, "code"},
                           Row{"nearly idle again", 7199, "code"}, Row{"idle", 7201, "login"}}) {
        CAPTURE(row.when);
        op.advance(std::chrono::seconds(row.seconds_later));
        CHECK(alice.authorize(authorization_request()).verdict() == row.expected);
    }
    UserAgent busy(op);
    busy.sign_in(authorization_request());
    for (int i = 0; i < 11; ++i) {
        op.advance(std::chrono::seconds(3900));
        CHECK(busy.authorize(authorization_request()).verdict() == "code");
    }
    op.advance(std::chrono::seconds(300));  // 43200
    CHECK(busy.authorize(authorization_request()).verdict() == "login");
}

TEST_CASE("code flow: a wrong password shows the form again, in the same words for every user [L08]") {
    const Deployment op;
    op.must({"user", "disable", kBob});
    UserAgent visitor(op);
    const Landing login = visitor.authorize(authorization_request());
    struct Row {
        std::string when;
        std::string username;
        std::string password;
    };
    const std::vector<Row> rows = {
        {"wrong password", kAlice, "wrong"},
        {"unknown user", "mallory", "wrong"},
        {"disabled user, right password", kBob, kBobPassword},
        {"another case", "ALICE", kAlicePassword},
        {"a blank behind the password", kAlice, std::string(kAlicePassword) + " "},
        {"the beginning of the password", kAlice, std::string(kAlicePassword).substr(0, 12)},
        {"empty password", kAlice, ""},
        {"empty name", "", kAlicePassword},
        {"a very long password", kAlice, std::string(5000, 'p')},
        {"SQL", "alice' --", kAlicePassword},
    };
    std::string words;
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Landing again = visitor.log_in(login, row.username, row.password);
        CHECK(again.verdict() == "login");
        CHECK(visitor.session_cookie().empty());
        CHECK(again.answer.body.find(row.password.empty() ? "\x01" : row.password) == std::string::npos);
        CHECK(has_id(again.answer.body, "problem"));
        const std::string said = visible_text(again.answer.body);
        if (words.empty()) words = said;
        CHECK(said == words);
    }
    CHECK(visitor.log_in(login).verdict() == "consent");
}

}  // namespace
