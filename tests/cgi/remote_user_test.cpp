// Where the web server lets people in (login.method remote_user): whom it names is logged in, and nobody else.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern;
using namespace postern::test;
using std::chrono::seconds;

using Variables = std::map<std::string, std::optional<std::string>>;

json::Object remote(const json::Object& more = {}) {
    json::Object login{{"method", "remote_user"}};
    for (const auto& [name, value] : more.members()) login.set(name, value);
    return login;
}

Deployment::Options options(const json::Object& more = {}) {
    return Deployment::Options{"https://op.example", json::Object{{"login", remote(more)}}};
}

Variables named(const std::string& user) { return {{"REMOTE_USER", user}, {"AUTH_TYPE", "Basic"}}; }

/// A browser for which the web server sets these variables at the login endpoint.
UserAgent browser_of(const Deployment& op, const Variables& variables) {
    UserAgent browser(op);
    browser.login_variables() = variables;
    return browser;
}

json::Object claims_of(const Deployment& op, const Landing& done) { return id_token_of(op, done, kTrusted); }

/// What `postern why` would say of the page.
std::string why(const Deployment& op, const Landing& page) {
    return op.must({"why", page.answer.header("X-Request-Id")});
}

TEST_CASE("remote user: one visit leads to the code, with no form and no word of how the user was authenticated") {
    const Deployment op(options());
    UserAgent alice = browser_of(op, named(kAlice));
    const Landing done = alice.authorize(authorization_request(kTrusted));
    const json::Object claims = claims_of(op, done);
    CHECK(text_of(claims, "sub") == subject_of(op, kAlice));
    for (const char* unknown : {"acr", "amr", "auth_time"}) CHECK(claims.find(unknown) == nullptr);
    CHECK(op.cgi("discovery").json().find("acr_values_supported") == nullptr);
    // The session does for the next one, without the web server's word.
    alice.login_variables().clear();
    CHECK(alice.authorize(authorization_request(kTrusted)).verdict() == "code");
    CHECK(alice.authorize(authorization_request(kTrusted).with("prompt", "none")).verdict() == "code");
    CHECK(op.must({"session", "list"}).find("unknown") != std::string::npos);
}

TEST_CASE("remote user: headers do nothing, by any name [CWE-290]") {
    const Deployment op(options({{"autoCreate", true}}));
    for (const char* header : {"Remote-User", "Remote_User", "REMOTE_USER", "X-Remote-User", "X-Forwarded-User",
                               "Auth-Type", "Redirect-Remote-User", "Proxy-Remote-User"}) {
        CAPTURE(header);
        UserAgent nobody(op);
        const std::string login = nobody.fetch(op.url("authorize") + "?" + authorization_request().text()).location();
        CgiRequest request = get_request(login.substr(login.find('?') + 1));
        request.headers = {{header, kAlice},
                           {"Auth-Type", "Basic"},
                           {"Authorization", "Basic YWxpY2U6eA=="},
                           {"Cookie", nobody.cookies().begin()->first + "=" + nobody.browser_cookie()}};
        const Answer answer = op.cgi("login", request);
        CHECK(answer.status == 403);
        CHECK_FALSE(answer.has("Set-Cookie"));
        // With the web server's word beside it, it is that which counts.
        request.variables = named(kBob);
        CHECK(op.cgi("login", request).status == 303);
    }
    CHECK(op.must({"session", "list", "--json"}).find(kAlice) == std::string::npos);
    CHECK(op.count_rows("users") == 2);
}

TEST_CASE("remote user: a variable of the operator's choice, and then REMOTE_USER is ignored") {
    const Deployment op(options({{"remoteUserVariable", "OIDC_CLAIM_sub"}}));
    CHECK(browser_of(op, {{"OIDC_CLAIM_sub", kAlice}}).authorize(authorization_request(kTrusted)).verdict() == "code");
    CHECK(browser_of(op, named(kAlice)).authorize(authorization_request(kTrusted)).verdict() == "page 403");
}

TEST_CASE("remote user: passwords are not accepted, and with method password REMOTE_USER is ignored") {
    Deployment op;
    UserAgent alice = browser_of(op, named(kAlice));
    const Landing form = alice.authorize(authorization_request(kTrusted));
    CHECK(form.verdict() == "login");
    CHECK(alice.session_cookie().empty());
    const std::string posted = alice.form_of(form, "login", {{"username", kAlice}, {"password", kAlicePassword}});
    op.configure("login", remote());
    const Answer refused = alice.send(op.url("login"), posted);
    CHECK(refused.status == 405);
    CHECK(refused.header("Allow") == "GET");
    CHECK(op.count_rows("sessions") == 0);
    op.configure("login", json::Object{{"method", "password"}});
    CHECK(alice.log_in(form).verdict() == "code");
}

TEST_CASE(
    "remote user: an unknown user is made once, or gets a page that names who can help; a disabled one stays out") {
    Deployment op(options());
    const auto carol = [&] { return browser_of(op, named("carol@REALM")).authorize(authorization_request(kTrusted)); };
    const Landing unknown = carol();
    CHECK(unknown.verdict() == "page 403");
    CHECK(says(unknown, "not known here"));
    CHECK(says(unknown, "administrator"));
    CHECK(why(op, unknown).find("account_unknown") != std::string::npos);
    CHECK(op.count_rows("users") == 2);

    op.configure("login", remote({{"autoCreate", true}}));
    const std::string sub = text_of(claims_of(op, carol()), "sub");
    CHECK(sub == subject_of(op, "carol@REALM"));
    CHECK(text_of(claims_of(op, carol()), "sub") == sub);
    CHECK(op.count_rows("users") == 3);
    // Without a password, should the method ever change.
    op.configure("login", json::Object{{"method", "password"}});
    UserAgent browser(op);
    CHECK(browser.log_in(browser.authorize(authorization_request(kTrusted)), "carol@REALM", "").verdict() == "login");

    op.configure("login", remote({{"autoCreate", true}}));
    op.must({"user", "disable", "carol@REALM"});
    const Landing disabled = carol();
    CHECK(disabled.verdict() == "page 403");
    CHECK(says(disabled, "switched off"));
    CHECK(op.count_rows("users") == 3);
}

TEST_CASE(
    "remote user: another name than the session's is another session, and the user a client wants is insisted on") {
    const Deployment op(options({{"authTimeFromEnvironment", "T"}}));
    UserAgent browser = browser_of(op, named(kAlice));
    browser.login_variables()["T"] = std::to_string(op.now());
    const Query again = authorization_request(kTrusted).with("prompt", "login");
    const json::Object alices = claims_of(op, browser.authorize(again));
    CHECK(text_of(claims_of(op, browser.authorize(again)), "sid") == text_of(alices, "sid"));
    browser.login_variables()["REMOTE_USER"] = kBob;
    const json::Object bobs = claims_of(op, browser.authorize(again));
    CHECK(text_of(bobs, "sub") == subject_of(op, kBob));
    CHECK(text_of(bobs, "sid") != text_of(alices, "sid"));
    CHECK(op.count_rows("sessions") == 1);

    const std::string wanted = R"({"id_token":{"sub":{"value":")" + text_of(alices, "sub") + "\"}}}";
    const Query for_alice = authorization_request(kTrusted).with("claims", wanted);
    CHECK(browser.authorize(for_alice).verdict() == "login_required");
    browser.login_variables().erase("T");
    CHECK(browser.authorize(for_alice).verdict() == "login_required");
    browser.login_variables()["REMOTE_USER"] = kAlice;
    CHECK(browser.authorize(for_alice).verdict() == "code");
}

TEST_CASE("remote user: an essential acr cannot be met where the web server authenticates users [OIDC Core §5.5.1.1]") {
    const Deployment op(options());
    const Query request = authorization_request(kTrusted).with(
        "claims",
        R"({"id_token":{"acr":{"essential":true,"value":"urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"}}})");
    CHECK(browser_of(op, named(kAlice)).authorize(request).verdict() == "unmet_authentication_requirements");
}

TEST_CASE(
    "remote user: after logout the browser goes to the web server's own, and from there where the client wanted") {
    struct Row {
        const char* redirect;  ///< logoutRedirect, or "" for none
        bool asked;            ///< post_logout_redirect_uri came with a hint
        std::string expected;
    };
    const std::string bye = "https://app.example/bye";
    const std::vector<Row> rows = {
        {"", true, bye + "?state=s%201"},
        {"", false, ""},
        {"https://op.example/out", true, "https://op.example/out"},
        {"https://op.example/out", false, "https://op.example/out"},
        {"https://op.example/out?to={return}&x=1", true,
         "https://op.example/out?to=https%3A%2F%2Fapp.example%2Fbye%3Fstate%3Ds%25201&x=1"},
        {"https://op.example/out?to={return}&x=1", false,
         "https://op.example/out?to=https%3A%2F%2Fop.example%2Flogout%3Fsigned_out%3D1&x=1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.redirect);
        CAPTURE(row.asked);
        json::Object more;
        if (*row.redirect) more.set("logoutRedirect", row.redirect);
        const Deployment op(options(more));
        op.must({"client", "set", kTrusted, "--post-logout-redirect-uri", bye});
        UserAgent alice = browser_of(op, named(kAlice));
        const Answer tokens = redeem(
            op, token_request(alice.authorize(authorization_request(kTrusted)).parameter("code"), kTrusted), kTrusted);
        Query query = {{"id_token_hint", tokens.member("id_token")}};
        if (row.asked) query = query.with("post_logout_redirect_uri", bye).with("state", "s 1");
        // The second time there is no session left here, but the web server's may live.
        for (const char* round : {"signed in", "signed out"}) {
            CAPTURE(round);
            const Landing out = alice.open(op.url("logout") + "?" + query.text());
            CHECK((out.left ? out.url : "") == row.expected);
            if (!out.left) CHECK(says(out, "You are signed out"));
            CHECK(alice.session_cookie().empty());
            CHECK(op.count_rows("sessions") == 0);
        }
        const Landing back = alice.open(op.url("logout") + "?signed_out=1");
        CHECK(back.verdict() == "page 200");
        CHECK(says(back, "You are signed out"));
    }
}

TEST_CASE("remote user: a browser that returns from a logout which another site linked to is asked, not misinformed") {
    const Deployment op(options({{"logoutRedirect", "https://op.example/out"}}));
    UserAgent alice = browser_of(op, named(kAlice));
    alice.authorize(authorization_request(kTrusted));
    const Landing question = alice.open(op.url("logout") + "?signed_out=1");
    CHECK(question.verdict() == "logout");
    CHECK(alice.submit(question, "cancel").verdict() == "page 200");
    CHECK(alice.submit(question, "logout").url == "https://op.example/out");
    CHECK(op.count_rows("sessions") == 0);
}

}  // namespace
