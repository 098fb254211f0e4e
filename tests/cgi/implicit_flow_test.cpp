// The implicit grant from the page's link to the user's claims (RFC 6749 §4.2), with the built programs.
#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "json/writer.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

constexpr const char* kPage = "page";

Deployment::Options with_implicit() { return {.issuer = "https://op.example", .config = {{"implicit", true}}}; }

void add_page(const Deployment& op) {
    op.must({"client", "add", kPage, "--public", "--name", "Single Page", "--grant", "implicit", "--redirect-uri",
             redirect_uri_of(kPage), "--scope", "openid email api"});
}

Query asking() { return authorization_request(kPage).with("response_type", "token"); }

TEST_CASE("implicit flow: login, consent, token in the fragment, claims, introspection, revocation [IF8]") {
    const Deployment op(with_implicit());
    add_page(op);
    UserAgent alice(op);
    const Landing login = alice.authorize(asking());
    CHECK(login.verdict() == "login");
    const Landing consent = alice.log_in(login);
    CHECK(consent.verdict() == "consent");
    CHECK(visible_text(consent.answer.body).find("Single Page") != std::string::npos);
    const Landing landing = alice.approve(consent);
    REQUIRE(landing.verdict() == "token");
    CHECK(landing.mode == "fragment");
    CHECK(landing.parameter("state") == kState);

    const std::string token = landing.parameter("access_token");
    const Answer claims = userinfo(op, token);
    CHECK(claims.status == 200);
    CHECK(claims.member("email") == "alice@op.example");
    CHECK(claims.member("sub") == subject_of(op, kAlice));
    const auto introspect = [&] { return op.cgi("introspect", with_basic(Query{{"token", token}}.text())).body; };
    CHECK(introspect().find("\"active\":true") != std::string::npos);
    CHECK(introspect().find("\"client_id\":\"page\"") != std::string::npos);
    CHECK(op.cgi("revoke", post_form(Query{{"token", token}, {"client_id", kPage}}.text())).status == 200);
    CHECK(introspect() == "{\"active\":false}");
    CHECK(userinfo(op, token).status == 401);
}

TEST_CASE("implicit flow: the token outlives its session, but not the disabling of its user") {
    const Deployment op(with_implicit());
    add_page(op);
    UserAgent alice(op);
    const std::string token = alice.sign_in(asking()).parameter("access_token");
    CHECK(userinfo(op, token).status == 200);
    op.must({"user", "disable", kAlice});
    CHECK(userinfo(op, token).status == 401);
    CHECK(alice.authorize(asking()).verdict() == "login");
}

TEST_CASE("implicit flow: by POST, and by a form that sends itself [Form Post §2f, A23]") {
    Deployment op(with_implicit());
    op.configure("authorizeMethods", postern::json::strings({"GET", "POST"}));
    add_page(op);
    UserAgent alice(op);
    const std::string url = op.url("authorize");
    const Landing consent = alice.log_in(alice.follow(url, alice.send(url, asking().text())));
    const Landing fragment = alice.approve(consent);
    CHECK(fragment.verdict() == "token");
    CHECK(fragment.mode == "fragment");
    const Landing posted = alice.follow(url, alice.send(url, asking().with("response_mode", "form_post").text()));
    CHECK(posted.verdict() == "token");
    CHECK(posted.mode == "form_post");
    CHECK(posted.url == redirect_uri_of(kPage));
    CHECK(posted.posted.size() == 6);
    CHECK_FALSE(posted.posted.contains("refresh_token"));
    CHECK(posted.answer.header("Cache-Control") == "no-store");
    CHECK(posted.parameter("expires_in") == "900");
    CHECK(userinfo(op, posted.parameter("access_token")).status == 200);
}

TEST_CASE("implicit flow: without OpenID Connect there are tokens and no claims") {
    Deployment op(with_implicit());
    auto config = op.config();
    config.erase("oidc");
    op.write_config(postern::json::write_pretty(config));
    op.must({"client", "add", kPage, "--public", "--grant", "implicit", "--redirect-uri", redirect_uri_of(kPage),
             "--scope", "api"});
    UserAgent alice(op);
    const Landing landing = alice.sign_in(asking().with("scope", "api"));
    CHECK(landing.verdict() == "token");
    CHECK(landing.parameter("scope") == "api");
    CHECK(userinfo(op, landing.parameter("access_token")).status == 404);
}

TEST_CASE("implicit flow: authorize opens private keys only when it signs with them [HYB-7]") {
    Deployment op;
    for (const auto& entry : std::filesystem::directory_iterator(op.keys_directory()))
        if (entry.path().extension() == ".pem") std::filesystem::remove(entry.path());
    CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request().text()))) == "login");
    op.configure("implicit", true);
    const Answer answer = op.cgi("authorize", get_request(authorization_request().text()));
    CHECK(answer.exit_code == 1);
    CHECK(answer.status == 500);
    CHECK(answer.log.find("has no private ES256 key") != std::string::npos);
    op.configure("implicit", postern::json::Value(false));
    CHECK(verdict_of(op, op.cgi("authorize", get_request(authorization_request().text()))) == "login");
    auto config = op.config();
    config.erase("implicit");
    config.set("responseTypes", postern::json::strings({"code", "id_token"}));
    op.write_config(postern::json::write_pretty(config));
    const Answer id_tokens = op.cgi("authorize", get_request(authorization_request().text()));
    CHECK(id_tokens.exit_code == 1);
    CHECK(id_tokens.log.find("has no private RS256 key") != std::string::npos);
}

}  // namespace
