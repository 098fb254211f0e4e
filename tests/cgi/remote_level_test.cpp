// What the web server's word is worth (login.remoteLevel), what is added to it, and what a session of another method is
// not taken for.
#include <doctest/doctest.h>

#include <string>

#include "support/app_set_up.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/passkey_set_up.h"
#include "util/base64.h"

namespace {

using namespace postern;
using namespace postern::test;

const std::string kMfa = "https://refeds.org/profile/mfa";
const std::string kPassword = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";

json::Object remote(const json::Object& more) {
    json::Object login{{"method", "remote_user"}};
    for (const auto& [name, value] : more.members()) login.set(name, value);
    return login;
}

struct RemoteLevel {
    Deployment op;

    explicit RemoteLevel(const json::Object& more) : op(Deployment::Options{.config = {{"login", remote(more)}}}) {}

    UserAgent browser(const std::string& user = kAlice) const {
        UserAgent agent(op);
        agent.login_variables() = {{"REMOTE_USER", user}, {"AUTH_TYPE", "Basic"}};
        return agent;
    }
    /// Alice has an app from now on.
    SetUp set_up_app() const {
        UserAgent alice = browser();
        alice.open(op.url("account"));
        return test::set_up_app(op, alice);
    }
    json::Object id_token(const Landing& done) const { return id_token_of(op, done, kTrusted); }
};

Query usual() { return authorization_request(kTrusted); }

}  // namespace

TEST_CASE("remote level: the web server's word is worth that, and amr has our own methods alone [POLICY-9, LEVEL-2]") {
    struct Row {
        int level;
        const char* acr;
    };
    for (const Row& row : {Row{1, kPassword.c_str()}, Row{2, kMfa.c_str()}}) {
        CAPTURE(row.level);
        RemoteLevel f({{"remoteLevel", row.level}});
        UserAgent alice = f.browser();
        const auto claims = f.id_token(alice.authorize(usual()));
        CHECK(text_of(claims, "acr") == row.acr);
        CHECK(amr_of(claims).empty());
        CHECK(claims.find("auth_time") == nullptr);
    }
}

TEST_CASE(
    "remote level: an app is asked for behind level 1, and the login is worth both [POLICY-2, POLICY-9, STEP-3]") {
    RemoteLevel f({{"remoteLevel", 1}});
    const SetUp app = f.set_up_app();
    UserAgent alice = f.browser();
    const Landing step = alice.authorize(usual());
    REQUIRE_MESSAGE(step.verdict() == "second step", step.verdict() << step.answer.log);
    CHECK(alice.session_cookie().empty());
    CHECK(link_in(step.answer.body, "other-account").empty());
    const Landing wrong = alice.submit(step, "verify", {{"code", app.wrong_code(f.op)}});
    REQUIRE(wrong.verdict() == "second step");
    const auto claims = f.id_token(alice.submit(wrong, "verify", {{"code", app.fresh_code(f.op)}}));
    CHECK(text_of(claims, "acr") == kMfa);
    CHECK(amr_of(claims) == "otp mfa");
    CHECK(claims.find("auth_time") == nullptr);
}

TEST_CASE("remote level: the second page is of the user whom the web server names [POLICY-9, STEP-4]") {
    RemoteLevel f({{"remoteLevel", 1}});
    const SetUp app = f.set_up_app();
    UserAgent alice = f.browser();
    const Landing step = alice.authorize(usual());
    REQUIRE(step.verdict() == "second step");
    const std::string form = alice.form_of(step, "verify", {{"code", app.fresh_code(f.op)}});
    alice.login_variables()["REMOTE_USER"] = kBob;
    const Landing other = alice.follow(step.url, alice.send(f.op.url("login"), form));
    CHECK(text_of(f.id_token(other), "sub") == subject_of(f.op, kBob));
    alice.login_variables().clear();
    CHECK(alice.open(step.url).verdict() == "page 403");
}

TEST_CASE("remote level: with the login's time, a new login and its code are enough [POLICY-7]") {
    RemoteLevel f({{"remoteLevel", 1}, {"authTimeFromEnvironment", "AUTH_TIME"}});
    UserAgent first = f.browser();
    first.login_variables()["AUTH_TIME"] = std::to_string(f.op.now());
    first.open(f.op.url("account"));
    const SetUp app = set_up_app(f.op, first);
    UserAgent alice = f.browser();
    alice.login_variables()["AUTH_TIME"] = std::to_string(f.op.now());
    const std::int64_t then = f.op.now();
    const Landing step = alice.authorize(usual().with("prompt", "login"));
    REQUIRE(step.verdict() == "second step");
    const auto claims = f.id_token(alice.submit(step, "verify", {{"code", app.fresh_code(f.op)}}));
    CHECK(*claims.find("auth_time")->if_integer() == then);
}

TEST_CASE("remote level: a user whose password the web server knows may remove the last passkey [WEBAUTHN-24]") {
    RemoteLevel f({{"remoteLevel", 1}, {"autoCreate", true}});
    UserAgent eve = f.browser("eve");
    const std::string passkeys = f.op.url("account") + "/passkeys";
    REQUIRE(eve.open(passkeys).url == passkeys);
    const Adding adding(eve.fetch(passkeys + "?add=yes"));
    const TestAuthenticator phone(crypto::Algorithm::ES256, "phone");
    REQUIRE(eve.send(passkeys, adding.form(phone).text()).status == 200);
    const Query remove{{"csrf", value_of(eve.fetch(passkeys), "csrf")}, {"remove", util::base64url_encode("phone")}};
    CHECK(eve.send(passkeys, remove.text()).location() == passkeys + "?done=passkey-removed");
    CHECK(f.op.count_rows("passkeys") == 0);
}

TEST_CASE("remote level: a login that the web server tells to be old is no loop, and changes nothing [ACCOUNT-3]") {
    RemoteLevel f({{"remoteLevel", 1}, {"authTimeFromEnvironment", "AUTH_TIME"}});
    const std::string account = f.op.url("account");
    UserAgent alice = f.browser();
    alice.login_variables()["AUTH_TIME"] = std::to_string(f.op.now() - 3600);
    for (const char* page : {"/app", "/passkeys?add=yes"}) {
        CAPTURE(page);
        const Landing told = alice.open(account + page);
        CHECK(told.url == account + "?after-login=yes");
        CHECK_MESSAGE(says(told.answer, "You signed in at your organisation too long ago for this change."),
                      told.verdict() << told.answer.log);
    }
    alice.login_variables()["AUTH_TIME"] = std::to_string(f.op.now());
    const Landing app = alice.open(account + "/app");
    CHECK(app.url == account + "/app");
    CHECK(SetUp(app.answer).key.size() == 32);
    CHECK_FALSE(says(alice.fetch(account + "?after-login=yes"), "too long ago"));
}

TEST_CASE("remote level: discovery names what can be reached [LEVEL-8, POLICY-9]") {
    struct Row {
        json::Object login;
        const char* values;
    };
    for (const Row& row : {Row{{{"remoteLevel", 1}}, "1 2 3"}, Row{{{"remoteLevel", 2}}, "1 2 3"},
                           Row{{{"remoteLevel", 1}, {"passkeys", "off"}}, "1 2"},
                           Row{{{"remoteLevel", 1}, {"secondFactor", "off"}}, "1"},
                           Row{{{"remoteLevel", 2}, {"secondFactor", "off"}}, "1 2"}}) {
        RemoteLevel f(row.login);
        std::string found;
        const json::Object document = f.op.cgi("discovery").json();
        for (const json::Value& value : *document.find("acr_values_supported")->if_array())
            found += std::string(found.empty() ? "" : " ") + (*value.if_string() == kPassword ? "1"
                                                              : *value.if_string() == kMfa    ? "2"
                                                                                              : "3");
        CHECK(found == row.values);
    }
}

TEST_CASE(
    "another method: a session of the web server is not taken for a login by password, nor are its tokens [LEVEL-6, LEVEL-7, STORE-5]") {
    RemoteLevel f(json::Object{});
    UserAgent alice = f.browser();
    const Query request = usual().with("scope", "openid offline_access").with("prompt", "consent");
    const Landing done = alice.approve(alice.authorize(request));
    REQUIRE(done.verdict() == "code");
    const Answer tokens = redeem(f.op, token_request(done.parameter("code"), kTrusted), kTrusted);
    REQUIRE(tokens.status == 200);
    f.op.configure("login", json::Object{{"method", "password"}});
    alice.login_variables().clear();
    CHECK(alice.authorize(usual()).verdict() == "login");
    CHECK(alice.authorize(usual().with("prompt", "none")).verdict() == "login_required");
    CHECK(alice.open(f.op.url("account")).verdict() == "login");
    const Answer refreshed = redeem(
        f.op, Query{{"grant_type", "refresh_token"}, {"refresh_token", tokens.member("refresh_token")}}, kTrusted);
    REQUIRE_MESSAGE(refreshed.status == 200, refreshed.body);
    const auto claims = jwt_claims(refreshed.member("id_token"));
    for (const char* unknown : {"acr", "amr"}) CHECK(claims.find(unknown) == nullptr);
    // A login of now takes its place.
    CHECK(alice.log_in(alice.authorize(usual())).verdict() == "code");
}

TEST_CASE("another method: a session by password stays what it was where the web server signs users in [LEVEL-6]") {
    RemoteLevel f(json::Object{});
    f.op.configure("login", json::Object{{"method", "password"}});
    UserAgent alice(f.op);
    REQUIRE(alice.log_in(alice.authorize(usual())).verdict() == "code");
    f.op.configure("login", remote({}));
    const auto claims = f.id_token(alice.authorize(usual()));
    CHECK(text_of(claims, "acr") == kPassword);
    CHECK(amr_of(claims) == "pwd");
}
