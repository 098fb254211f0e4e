// OpenID Connect Core 1.0 §3.1.2.1, §3.1.2.2: id_token_hint, login_hint, a `sub` asked for by value, and the parameters
// that may be ignored.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "has.h"
#include "json/writer.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

std::string id_token_of(const Deployment& op, const char* username, const char* password, const char* client = kWeb) {
    UserAgent browser(op);
    const Landing login = browser.authorize(authorization_request(client));
    const Landing done = browser.approve(browser.log_in(login, username, password));
    const Answer tokens = redeem(op, token_request(done.parameter("code"), client), client);
    REQUIRE(tokens.status == 200);
    return tokens.member("id_token");
}

std::string sub_claim(const std::string& subject, const std::string& place = "id_token") {
    return "{\"" + place + "\":{\"sub\":{\"value\":\"" + subject + "\"}}}";
}

/// What stands in the user name field of the login form.
std::string prefilled(const Landing& page) {
    const auto form = find_form(page.answer.body);
    REQUIRE(form.has_value());
    REQUIRE(form->fields.contains("username"));
    return form->fields.at("username");
}

TEST_CASE(
    "id_token_hint, sub: the user that the client expects, against the one who is logged in [OIDC Core §3.1.2.1u, §3.1.2.2c, §3.1.2.6d]") {
    const Deployment op;
    const std::string alices = id_token_of(op, kAlice, kAlicePassword);
    const std::string bobs = id_token_of(op, kBob, kBobPassword);
    const std::string alice_sub = subject_of(op, kAlice);
    const std::string bob_sub = subject_of(op, kBob);
    const Query request = authorization_request();
    struct Row {
        std::string clause;
        Query request;
        std::string visitor;
        std::string alice;   ///< logged in and consented
        std::string silent;  ///< the same with prompt=none
    };
    const std::vector<Row> rows = {
        {"nobody in particular", request, "login", "code", "code"},
        {"§3.1.2.1 the user who is there", request.with("id_token_hint", alices), "login", "code", "code"},
        {"§3.1.2.1 somebody else", request.with("id_token_hint", bobs), "login", "login", "login_required"},
        {"§5.5.1 sub of the user who is there", request.with("claims", sub_claim(alice_sub)), "login", "code", "code"},
        {"§5.5.1 sub of somebody else", request.with("claims", sub_claim(bob_sub)), "login", "login", "login_required"},
        {"§5.3.2 sub of UserInfo is the same sub", request.with("claims", sub_claim(bob_sub, "userinfo")), "login",
         "login", "login_required"},
        {"§5.5.1 sub of nobody", request.with("claims", sub_claim("nobody")), "login", "login", "login_required"},
        {"both, of one user", request.with("id_token_hint", alices).with("claims", sub_claim(alice_sub)), "login",
         "code", "code"},
        {"both, of different users", request.with("id_token_hint", alices).with("claims", sub_claim(bob_sub)),
         "invalid_request", "invalid_request", "invalid_request"},
        {"with max_age", request.with("id_token_hint", alices).with("max_age", "100"), "login", "code", "code"},
        {"§5.5 no OpenID Connect request has no claims parameter",
         request.with("scope", "email").with("claims", sub_claim(bob_sub)), "login", "code", "code"},
    };
    UserAgent alice(op);
    alice.sign_in(request);
    for (const Row& row : rows) {
        CAPTURE(row.clause);
        const auto ask = [&](UserAgent& browser, const Query& asked) {
            return verdict_of(op, browser.fetch(op.url("authorize") + "?" + asked.text()));
        };
        UserAgent visitor(op);
        CHECK(ask(visitor, row.request) == row.visitor);
        CHECK(ask(alice, row.request) == row.alice);
        CHECK(ask(alice, row.request.with("prompt", "none")) == row.silent);
    }
}

TEST_CASE(
    "id_token_hint: an ID token of this server, for any client and of any age; else invalid_request [OIDC Core §3.1.2.1v, §3.1.2.2de]") {
    Deployment op;
    const std::string own = id_token_of(op, kAlice, kAlicePassword);
    const std::string of_other_client = id_token_of(op, kAlice, kAlicePassword, kOther);
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    Deployment::Options elsewhere;
    elsewhere.issuer = "https://elsewhere.example";
    const Deployment stranger(elsewhere);
    struct Row {
        std::string when;
        std::string hint;
        std::string expected;
    };
    const std::vector<Row> rows = {
        {"our own", own, "code"},
        {"another client's", of_other_client, "code"},
        {"empty is absent", "", "code"},
        {"of another issuer", id_token_of(stranger, kAlice, kAlicePassword), "invalid_request"},
        {"an access token", text_of(tokens, "access_token"), "invalid_request"},
        {"a refresh token", text_of(tokens, "refresh_token"), "invalid_request"},
        {"a subject", subject_of(op, kAlice), "invalid_request"},
        {"without its signature", own.substr(0, own.rfind('.') + 1), "invalid_request"},
        {"not signed: alg none", "eyJhbGciOiJub25lIn0" + own.substr(own.find('.'), own.rfind('.') + 1 - own.find('.')),
         "invalid_request"},
        {"a blank in front", " " + own, "invalid_request"},
    };
    const auto ask = [&](const Row& row) {
        return verdict_of(op, alice.fetch(op.url("authorize") + "?" +
                                          authorization_request().with("id_token_hint", row.hint).text()));
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        CHECK(ask(row) == row.expected);
    }
    op.advance(seconds(7000));  // idTokenTTL is 3600; the session is still alive
    CHECK(ask(rows[0]) == "code");
    const Query twice = authorization_request().with("id_token_hint", own).and_also("id_token_hint", own);
    CHECK(verdict_of(op, alice.fetch(op.url("authorize") + "?" + twice.text())) == "invalid_request");
}

TEST_CASE(
    "id_token_hint: each ID token of this server is taken back, however long, and after a rotation of keys [OIDC Core "
    "§3.1.2.1u, RP-Initiated Logout §2b]") {
    Deployment op;
    const std::string bye = "https://app.example/bye";
    op.must({"client", "set", kWeb, "--id-token-claims", "--post-logout-redirect-uri", bye});
    op.must({"user", "set", kAlice, "--claim", "nickname=" + std::string(3000, 'n')});
    UserAgent alice(op);
    const Query request = authorization_request().with("scope", "openid profile");
    const std::string hint = text_of(obtain_tokens(op, alice, request), "id_token");
    CHECK(hint.size() > 4096);
    op.must({"key", "rotate", "--lead", "0"});
    for (int i = 0; i < 5; ++i) {  // the session is used, so it lives
        op.advance(seconds{7000});
        CHECK(alice.authorize(request.with("prompt", "none").with("id_token_hint", hint)).verdict() == "code");
    }
    CHECK_FALSE(has(op.postern({"doctor"}).out, "key retire"));
    CHECK(alice.open(op.url("logout") + "?" + Query{{"id_token_hint", hint}, {"post_logout_redirect_uri", bye}}.text())
              .url == bye);

    op.must({"user", "set", kAlice, "--claim", "website=https://" + std::string(3000, 'w')});
    const Answer both = redeem(op, token_request(alice.sign_in(request).parameter("code")));
    CHECK(has(both.log, "\"event\":\"claims_left_out\""));
    CHECK(both.member("id_token").size() < 6000);
    CHECK(userinfo(op, both.member("access_token")).json().find("website"));
}

TEST_CASE("login_hint: fills in the user name, and is never an error [OIDC Core §3.1.2.1x]") {
    const Deployment op;
    struct Row {
        std::string hint;
        std::string shown;
    };
    const std::vector<Row> rows = {
        {"alice", "alice"},
        {"nobody-here", "nobody-here"},
        {"buffy@op.example", "buffy@op.example"},
        {"\"><b>{{csrf}}", "\"><b>{{csrf}}"},
        {"Zo\xc3\xab", "Zo\xc3\xab"},
        {std::string(256, 'x'), std::string(256, 'x')},
        {std::string(257, 'x'), ""},
        {"a\xe2\x80\xae"
         "b",
         ""},
        {"", ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.hint);
        UserAgent visitor(op);
        const Landing login = visitor.authorize(authorization_request().with("login_hint", row.hint));
        REQUIRE(login.verdict() == "login");
        CHECK(prefilled(login) == row.shown);
        CHECK_FALSE(has(login.answer.body, "<b>"));
    }
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request().with("login_hint", kBob));
    CHECK(alice.log_in(login).verdict() == "consent");  // a hint, not a demand
    CHECK(alice.sign_in(authorization_request().with("login_hint", kBob)).verdict() == "code");
}

TEST_CASE("id_token_hint: does not tell its holder what the user is called") {
    const Deployment op;
    const std::string hint = id_token_of(op, kAlice, kAlicePassword);
    UserAgent visitor(op);
    const Landing login = visitor.authorize(authorization_request().with("id_token_hint", hint));
    REQUIRE(login.verdict() == "login");
    CHECK(prefilled(login).empty());
    CHECK_FALSE(has(login.answer.body, kAlice));
    CHECK(prefilled(visitor.authorize(authorization_request().with("id_token_hint", hint).with("login_hint", "al"))) ==
          "al");
}

TEST_CASE(
    "display, locales, acr_values, unknown parameters: change nothing with any value [OIDC Core §3.1.2.1kty, §3.1.2.2b, §15.1c, RFC 6749 §3.1g]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    for (const std::string parameter :
         {"display=page", "display=popup", "display=hologram", "ui_locales=se", "ui_locales=fr-CA%20fr%20en",
          "ui_locales=%00", "claims_locales=se", "acr_values=1%202", "acr_values=urn:x", "extra=foobar",
          "extra=a&extra=b", "id_token_hints=x", "Claims=x", "login_hint%5B%5D=x", "hd=example.org"}) {
        CAPTURE(parameter);
        UserAgent visitor(op);
        const Landing login = visitor.authorize(authorization_request().raw(parameter));
        CHECK(login.verdict() == "login");
        CHECK(prefilled(login).empty());
        const auto tokens = obtain_tokens(op, alice, authorization_request().raw(parameter));
        CHECK(text_of(jwt_claims(text_of(tokens, "id_token")), "acr") ==
              "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport");
        CHECK(alice.authorize(authorization_request().raw(parameter).with("prompt", "none")).verdict() == "code");
    }
    CHECK(alice.authorize(authorization_request().raw("acr_values=urn:x&acr_values=y")).verdict() == "invalid_request");
}

TEST_CASE("id_token_hint, claims: without OpenID Connect they are unknown parameters [RFC 6749 §3.1]") {
    Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request().with("scope", "api"));
    json::Object config = op.config();
    config.erase("oidc");
    op.write_config(json::write(config));
    const Query request = authorization_request().with("scope", "api");
    CHECK(alice.authorize(request.with("id_token_hint", "garbage")).verdict() == "code");
    CHECK(alice.authorize(request.with("claims", sub_claim("nobody"))).verdict() == "code");
}

}  // namespace
