// When the user is asked, and when an earlier answer counts.
#include <doctest/doctest.h>

#include <string>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

TEST_CASE("consent: what was approved covers any part of it, and more is asked again [L15, OIDC Core §11a]") {
    const Deployment op;
    UserAgent alice(op);
    const auto verdict = [&](const char* scope) {
        return alice.authorize(authorization_request().with("scope", scope)).verdict();
    };
    CHECK(alice.sign_in(authorization_request().with("scope", "openid email")).verdict() == "code");
    CHECK(verdict("openid email") == "code");
    CHECK(verdict("email openid") == "code");
    CHECK(verdict("openid") == "code");
    CHECK(verdict("openid email api") == "consent");
    CHECK(verdict("openid offline_access") == "consent");
    CHECK(alice.sign_in(authorization_request().with("scope", "openid api")).verdict() == "code");
    CHECK(verdict("openid email api") == "code");  // everything that was ever approved
    CHECK(verdict("openid email api profile") == "consent");
}

TEST_CASE("consent: a denial adds nothing to what is recorded, and what was withdrawn is asked for again [L15]") {
    const Deployment op;
    UserAgent alice(op);
    const auto recorded = [&] { return op.must({"consent", "list", "--client", kWeb}); };
    alice.sign_in(authorization_request().with("scope", "openid"));
    const std::string before = recorded();
    CHECK(before.find(kAlice) != std::string::npos);
    CHECK(before.find("openid") != std::string::npos);
    CHECK(before.find("email") == std::string::npos);
    const Landing more = alice.authorize(authorization_request());
    for (const std::string scope : {"openid", "email"}) {
        CAPTURE(scope);
        CHECK(more.answer.body.find("<code dir=\"ltr\">" + scope + "</code>") != std::string::npos);
    }
    CHECK(alice.deny(more).verdict() == "access_denied");
    CHECK(recorded() == before);
    const Landing approved = alice.approve(alice.authorize(authorization_request()));
    CHECK(redeem(op, token_request(approved.parameter("code"))).member("scope") == "openid email");
    CHECK(alice.authorize(authorization_request().with("scope", "email")).verdict() == "code");
    op.must({"consent", "revoke", "--client", kWeb, "--user", kAlice});
    CHECK(alice.authorize(authorization_request().with("scope", "openid")).verdict() == "consent");
}

TEST_CASE(
    "consent: the page shows every scope, and exactly those are granted [IF114, RFC 6749 §3.3c, OIDC Core §3.1.2.4b, "
    "§5.4d, §16.18b, A09]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing consent =
        alice.log_in(alice.authorize(authorization_request().with("scope", "openid api phone offline_access")));
    std::string shown;
    const std::string text = visible_text(consent.answer.body);
    for (const std::string scope : {"openid", "api", "phone", "offline_access"})
        CHECK(text.find(scope) != std::string::npos);
    for (const std::string scope : {"address", "email"}) CHECK(text.find(scope) == std::string::npos);
    const Landing client = alice.approve(consent);
    CHECK(redeem(op, token_request(client.parameter("code"))).member("scope") == "openid api phone offline_access");
    // Words that are sent twice are one scope: shown, issued and stored.
    const Query repeated = authorization_request().with("scope", "openid email openid email api");
    const Landing asked = alice.authorize(repeated.with("prompt", "consent"));
    for (const std::string scope : {"openid", "email", "api"}) {
        CAPTURE(scope);
        const std::string shown_as = "<code dir=\"ltr\">" + scope + "</code>";
        const auto at = asked.answer.body.find(shown_as);
        CHECK(at != std::string::npos);
        CHECK(asked.answer.body.rfind(shown_as) == at);
    }
    const Answer tokens = redeem(op, token_request(alice.approve(asked).parameter("code")));
    CHECK(tokens.member("scope") == "openid email api");
    const Answer told = as_client(op, "introspect", {{"token", tokens.member("access_token")}}, kOther);
    CHECK(told.member("scope") == "openid email api");
    const std::string stored = op.must({"consent", "list", "--client", kWeb, "--user", kAlice});
    for (const std::string scope : {"openid", "email", "api"}) CHECK(stored.find(scope) != std::string::npos);
}

TEST_CASE(
    "consent: prompt=consent asks although it was given, and the answer is remembered all the same [OIDC Core "
    "§3.1.2.1o]") {
    const Deployment op;
    UserAgent alice(op);
    CHECK(alice.sign_in(authorization_request()).verdict() == "code");
    const Landing asked = alice.authorize(authorization_request().with("prompt", "consent"));
    CHECK(asked.verdict() == "consent");
    CHECK(alice.approve(asked).verdict() == "code");
    CHECK(alice.authorize(authorization_request()).verdict() == "code");
}

TEST_CASE(
    "consent: public clients on this machine are asked for every time [RFC 8252 §8.6, L16, RFC 6749 §10.2b, OIDC Core "
    "§11d]") {
    const Deployment op;
    UserAgent alice(op);
    for (const std::string uri : {"http://127.0.0.1/cb", "http://127.0.0.1:40000/cb", "com.example.app:/cb"}) {
        CAPTURE(uri);
        const Query request = authorization_request(kNative).with("redirect_uri", uri);
        CHECK(alice.sign_in(request).verdict() == "code");
        CHECK(alice.authorize(request).verdict() == "consent");
    }
    op.must({"client", "add", "local", "--redirect-uri", "http://localhost:3000/cb"});  // has a secret that proves it
    const Query local = authorization_request("local").with("redirect_uri", "http://localhost:3000/cb");
    CHECK(alice.sign_in(local).verdict() == "code");
    CHECK(alice.authorize(local).verdict() == "code");
    CHECK(alice.sign_in(authorization_request(kSpa)).verdict() == "code");  // an https address belongs to its owner
    CHECK(alice.authorize(authorization_request(kSpa)).verdict() == "code");
    op.must({"client", "add", "page", "--public", "--redirect-uri", "http://localhost:3000/cb"});
    const Query page = authorization_request("page").with("redirect_uri", "http://localhost:3000/cb");
    CHECK(alice.sign_in(page).verdict() == "code");
    CHECK(alice.authorize(page).verdict() == "consent");
}

TEST_CASE("consent: a removed client takes its consents with it") {
    const Deployment op;
    UserAgent alice(op);
    CHECK(alice.sign_in(authorization_request(kOther)).verdict() == "code");
    op.must({"client", "remove", kOther});
    op.must({"client", "add", kOther, "--redirect-uri", redirect_uri_of(kOther)});
    CHECK(alice.authorize(authorization_request(kOther)).verdict() == "consent");
}

}  // namespace
