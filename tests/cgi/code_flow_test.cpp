// The main job from end to end: a person signs in, a client gets tokens.
#include <doctest/doctest.h>

#include <regex>
#include <string>
#include <string_view>

#include "support/flow.h"
#include "support/html.h"
#include "util/text.h"

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
        CAPTURE(cookie);
        const auto end = cookie.find(';');
        static const std::regex kPair("__Host-postern-(browser-[0-9a-f]{8}-[0-9]{10}-)?[0-9a-f]{8}=[A-Za-z0-9_-]{43}");
        CHECK(std::regex_match(cookie.substr(0, end), kPair));
        std::multiset<std::string> attributes;
        for (const auto part : postern::util::split(std::string_view(cookie).substr(end + 1), ';'))
            attributes.emplace(postern::util::trim(part));
        CHECK(attributes == std::multiset<std::string>{"HttpOnly", "Path=/", "SameSite=Lax", "Secure"});
    }
    CHECK(alice.cookies().size() == 2);  // one of the browser, one of the session
    Deployment::Options options;
    options.issuer = "https://op.example/other";
    const Deployment neighbour(options);
    UserAgent visitor(neighbour);
    visitor.authorize(authorization_request());
    for (const auto& cookie : visitor.cookies()) CHECK_FALSE(alice.cookies().contains(cookie.first));
}

TEST_CASE("code flow: a logged-in user is not asked again until the session ends [IF159, L04]") {
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
    // The same with times that are configured.
    op.configure("sessionTTL", 3600);
    op.configure("sessionIdleTTL", 600);
    UserAgent brief(op);
    brief.sign_in(authorization_request());
    for (int minutes = 8; minutes < 60; minutes += 8) {
        CAPTURE(minutes);
        op.advance(std::chrono::minutes(8));
        CHECK(brief.authorize(authorization_request()).verdict() == "code");
    }
    op.advance(std::chrono::minutes(8));
    CHECK(brief.authorize(authorization_request()).verdict() == "login");
    UserAgent idle(op);
    idle.sign_in(authorization_request());
    op.advance(std::chrono::seconds(601));
    CHECK(idle.authorize(authorization_request()).verdict() == "login");
}

TEST_CASE("code flow: a session ended by the operator or by logout is over, cookies that were kept included [L04]") {
    const Deployment op;
    UserAgent ended(op);
    ended.sign_in(authorization_request());
    const Query silent = authorization_request().with("prompt", "none");
    CHECK(ended.authorize(silent).verdict() == "code");
    op.must({"session", "end", "--user", kAlice});
    CHECK(ended.authorize(silent).verdict() == "login_required");
    UserAgent leaving(op);
    leaving.sign_in(authorization_request());
    UserAgent copy = leaving;
    CHECK(copy.authorize(silent).verdict() == "code");
    leaving.submit(leaving.open(op.url("logout")), "logout");
    CHECK(copy.authorize(silent).verdict() == "login_required");
}

}  // namespace
