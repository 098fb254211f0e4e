// Logging out in a browser: what ends, what goes on, who may ask for it, and what is left behind for others.
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

const std::string kBye = "https://app.example/bye";

void register_address(const Deployment& op) { op.must({"client", "set", kWeb, "--post-logout-redirect-uri", kBye}); }

std::string logout_url(const Deployment& op, const Query& query = {}) { return op.url("logout") + "?" + query.text(); }

Query with_hint(const postern::json::Object& tokens) {
    return {{"id_token_hint", text_of(tokens, "id_token")}, {"post_logout_redirect_uri", kBye}, {"state", "s"}};
}

bool is_signed_in(UserAgent& browser, const char* client = kWeb) {
    return browser.authorize(authorization_request(client).with("prompt", "none")).verdict() != "login_required";
}

Answer refresh(const Deployment& op, const postern::json::Object& tokens, const char* client = kWeb) {
    const std::string token = text_of(tokens, "refresh_token");
    REQUIRE_FALSE(token.empty());
    return redeem(op, {{"grant_type", "refresh_token"}, {"refresh_token", token}}, client);
}

TEST_CASE(
    "logout: session, cookie, access and refresh tokens end; what was given for offline access goes on [F09, OIDC Core "
    "§11e, RP-Initiated Logout §2m]") {
    const Deployment op;
    register_address(op);
    UserAgent alice(op);
    const auto online = obtain_tokens(op, alice, authorization_request());
    const auto other = obtain_tokens(op, alice, authorization_request(kOther), kOther);
    const auto offline = obtain_tokens(
        op, alice, authorization_request().with("scope", "openid offline_access").with("prompt", "consent"));
    UserAgent elsewhere(op);
    const auto there = obtain_tokens(op, elsewhere, authorization_request());
    const auto cookies = alice.cookies();
    const std::string browser_cookie = alice.browser_cookie();

    const Answer answer = alice.fetch(logout_url(op, with_hint(online)));
    CHECK(answer.status == 303);
    CHECK(answer.location() == kBye + "?state=s");
    REQUIRE(answer.all("Set-Cookie").size() == 1);
    CHECK(answer.header("Set-Cookie").ends_with("=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0"));
    CHECK(alice.session_cookie().empty());
    CHECK(alice.browser_cookie() == browser_cookie);  // it means no user

    CHECK(userinfo(op, text_of(online, "access_token")).status == 401);
    CHECK(refresh(op, online).verdict() == "400 invalid_grant");
    CHECK(userinfo(op, text_of(other, "access_token")).status == 401);
    CHECK(refresh(op, other, kOther).verdict() == "400 invalid_grant");
    CHECK(userinfo(op, text_of(offline, "access_token")).status == 200);
    CHECK(refresh(op, offline).status == 200);
    // Another browser of hers is another session.
    CHECK(is_signed_in(elsewhere));
    CHECK(userinfo(op, text_of(there, "access_token")).status == 200);
    CHECK(refresh(op, there).status == 200);
    // Whoever kept the cookie has nothing.
    UserAgent thief(op);
    thief.cookies() = cookies;
    CHECK_FALSE(is_signed_in(thief));
    CHECK(alice.authorize(authorization_request()).verdict() == "login");
}

TEST_CASE(
    "logout: without a hint a person is asked; cancel changes nothing, logout ends it and leads nowhere [RP-Initiated "
    "Logout §2gjn]") {
    const Deployment op;
    register_address(op);
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const Landing question = alice.open(logout_url(op, {{"post_logout_redirect_uri", kBye}}));
    CHECK(question.verdict() == "logout");
    CHECK(has_id(question.answer.body, "cancel"));
    CHECK(says(question, kAlice));
    // Nothing shows who sent her here, so nobody is named.
    CHECK_FALSE(says(question, "Web Application"));
    CHECK_FALSE(says(question, "sent you here"));
    CHECK_FALSE(says(alice.open(logout_url(op, {{"client_id", "<b>nobody"}})), "nobody"));

    const Landing cancelled = alice.submit(question, "cancel");
    CHECK(cancelled.verdict() == "page 200");
    CHECK(says(cancelled, "You are still signed in"));
    CHECK_FALSE(cancelled.answer.has("Set-Cookie"));
    CHECK(is_signed_in(alice));
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);

    // The Back button, and the other choice.
    const Landing done = alice.submit(question, "logout");
    CHECK(done.verdict() == "page 200");
    CHECK(says(done, "You are signed out"));
    CHECK_FALSE(says(done, "still signed in"));
    CHECK_FALSE(is_signed_in(alice));
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 401);
    // And once more, with nobody there: true all the same, and whatever is pressed.
    CHECK(says(alice.submit(question, "logout"), "You are signed out"));
    CHECK(says(alice.submit(question, "cancel"), "You are signed out"));
    CHECK_FALSE(alice.submit(question, "cancel").left);
}

TEST_CASE("logout: a client without a hint is named as the next page, and reached by the person's own press alone") {
    const Deployment op;
    register_address(op);
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    const std::string url = logout_url(op, {{"client_id", kWeb}, {"post_logout_redirect_uri", kBye}, {"state", "s"}});
    const Landing question = alice.open(url);
    CHECK(says(question, "you are taken to the application Web Application"));
    CHECK_FALSE(says(question, "sent you here"));
    CHECK(says(alice.submit(question, "cancel"), "You are still signed in"));
    CHECK(alice.submit(question, "logout").url == kBye + "?state=s");
    CHECK_FALSE(is_signed_in(alice));
    const Landing late = alice.open(url);
    CHECK(says(late, "You are signed out"));
    CHECK(link_in(late.answer.body, "back") == kBye + "?state=s");
    CHECK(op.must({"why", late.answer.header("X-Request-Id")}).find("logout_unconfirmed") != std::string::npos);
    // A form that another browser was shown confirms nothing here.
    UserAgent bob(op);
    bob.log_in(bob.authorize(authorization_request()), kBob, kBobPassword);
    CHECK_FALSE(bob.submit(question, "logout").left);
    CHECK(is_signed_in(bob));
}

TEST_CASE("logout: what was begun before it yields no code any more, in this browser or with what it kept") {
    const Deployment op;
    const auto begin = [&](UserAgent& alice) {
        return alice.log_in(alice.authorize(authorization_request().with("prompt", "login consent")));
    };
    const auto leave = [&](UserAgent& alice) { alice.submit(alice.open(op.url("logout")), "logout"); };

    // The consent page is open in another tab.
    UserAgent alice(op);
    Landing consent = begin(alice);
    CHECK(consent.verdict() == "consent");
    leave(alice);
    CHECK(alice.approve(consent).verdict() == "login");
    CHECK(alice.open(consent.url).verdict() == "login");

    // It was approved, and the browser is on its way back.
    consent = begin(alice);
    const Answer approved = alice.send(op.url("scopes"), alice.form_of(consent, "approve"));
    const auto kept = alice.cookies();
    leave(alice);
    UserAgent thief(op);
    thief.cookies() = kept;
    CHECK(thief.follow(op.url("scopes"), approved).verdict() == "login");
    const Landing login = alice.follow(op.url("scopes"), approved);
    CHECK(login.verdict() == "login");
    CHECK(op.count_rows("authorization_codes") == 0);
    CHECK(op.count_rows("consents") == 0);
    // After a new login for another request neither the old login nor the old approval counts for this one.
    alice.log_in(alice.authorize(authorization_request(kTrusted)));
    CHECK(is_signed_in(alice, kTrusted));
    CHECK(alice.open(approved.location()).verdict() == "login");
}

TEST_CASE("logout: a code that was issued before it cannot be redeemed, one for offline access can") {
    const Deployment op;
    UserAgent alice(op);
    const std::string code = alice.obtain_code(authorization_request());
    const std::string offline = alice.obtain_code(authorization_request().with("scope", "openid offline_access"));
    alice.submit(alice.open(op.url("logout")), "logout");
    CHECK(redeem(op, token_request(code)).verdict() == "400 invalid_grant");
    CHECK(redeem(op, token_request(offline)).status == 200);
}

TEST_CASE("logout: a request that is open in another browser of the same user asks once more, and works") {
    const Deployment op;
    UserAgent here(op);
    here.sign_in(authorization_request());
    UserAgent there(op);
    const Landing consent = there.log_in(there.authorize(authorization_request(kOther)));
    here.submit(here.open(op.url("logout")), "logout");
    CHECK(there.approve(consent).verdict() == "code");
    CHECK(is_signed_in(there, kOther));
}

TEST_CASE(
    "logout: of a client that was disabled or removed in between: the user is signed out and stays here [RP-Initiated Logout §3d]") {
    for (const std::string how : {"disable", "remove"}) {
        CAPTURE(how);
        const Deployment op;
        register_address(op);
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, authorization_request());
        op.must({"client", how, kWeb});
        const Landing page = alice.open(logout_url(op, with_hint(tokens)));
        CHECK(page.verdict() == "page 200");
        CHECK(says(page, "You are signed out"));
        CHECK_FALSE(is_signed_in(alice, kOther));
        const std::string told = op.must({"why", page.answer.header("X-Request-Id")});
        CHECK(told.find(how == "remove" ? "client_unknown" : "client_disabled") != std::string::npos);
    }
}

TEST_CASE("logout: the cookie of an ended session is cleared, and so is an unknown one") {
    Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    op.advance(seconds{7201});
    CHECK_FALSE(alice.session_cookie().empty());
    CHECK(says(alice.open(op.url("logout")), "You are signed out"));
    CHECK(alice.session_cookie().empty());
    alice.sign_in(authorization_request());
    for (auto& [name, value] : alice.cookies())
        if (name.find("-browser-") == std::string::npos) value = "planted";
    CHECK(says(alice.open(op.url("logout")), "You are signed out"));
    CHECK(alice.session_cookie().empty());
}

TEST_CASE("logout: each refusal is explained by its request id, without a token [RP-Initiated Logout §4c]") {
    const Deployment op;
    register_address(op);
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const Query good = with_hint(tokens);
    const std::string id_token = text_of(tokens, "id_token");
    struct Row {
        std::string code;
        Query query;
        std::vector<std::string> told;
    };
    const std::vector<Row> rows = {
        {"logout_malformed", good.and_also("state", "x"), {"state"}},
        {"logout_hint_invalid", good.with("id_token_hint", id_token + "x"), {"ID token", "expired one is fine"}},
        {"logout_client_mismatch", good.with("client_id", kOther), {kOther, kWeb}},
        {"logout_redirect_unregistered",
         good.with("post_logout_redirect_uri", kBye + "/"),
         {kBye + "/", "--post-logout-redirect-uri"}},
        {"logout_resume_invalid", {{"resume", "x"}}, {"seal.key"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.code);
        const Answer answer = alice.fetch(logout_url(op, row.query));
        CHECK(answer.status == 400);
        CHECK_FALSE(answer.has("Location"));
        const std::string id = answer.header("X-Request-Id");
        CHECK(visible_text(answer.body).find(id) != std::string::npos);
        CHECK(visible_text(answer.body).find("You were not signed out") != std::string::npos);
        const std::string told = op.must({"why", id});
        CHECK(told.find(row.code) != std::string::npos);
        for (const std::string& part : row.told) CHECK_MESSAGE(told.find(part) != std::string::npos, part);
        CHECK(told.find(id_token) == std::string::npos);
        CHECK((told + answer.log).find("No advice") == std::string::npos);
        CHECK(answer.log.find(id_token) == std::string::npos);
    }
    CHECK(is_signed_in(alice));
    // An address that is not followed is no refusal to the user, but the developer wonders.
    const Landing done = alice.submit(alice.open(logout_url(op, good.without("id_token_hint"))), "logout");
    CHECK(says(done, "You are signed out"));
    const std::string told = op.must({"why", done.answer.header("X-Request-Id")});
    CHECK(told.find("logout_hint_missing") != std::string::npos);
    CHECK(told.find("id_token_hint") != std::string::npos);
}

TEST_CASE("logout: works below a base path and over http on loopback") {
    for (const std::string issuer : {"https://op.example/auth", "http://127.0.0.1:8080"}) {
        CAPTURE(issuer);
        Deployment::Options options;
        options.issuer = issuer;
        const Deployment op(options);
        register_address(op);
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, authorization_request());
        CHECK(find_form(alice.open(op.url("logout")).answer.body)->action == issuer + "/logout");
        CHECK(alice.open(logout_url(op, with_hint(tokens))).url == kBye + "?state=s");
        CHECK(alice.session_cookie().empty());
    }
}

}  // namespace
