// What ends when an operator disables, removes or changes a client or a user in the middle of things (A27, T19, U08).
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;

struct Command {
    std::string when;
    std::vector<std::string> arguments;
    std::string input;
};

TEST_CASE("client disabled: at every step of the flow, and back again [A27, T19]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing login = alice.authorize(authorization_request());
    const auto disabled = [&](auto&& step) {
        op.must({"client", "disable", kWeb});
        step();
        op.must({"client", "enable", kWeb});
    };
    disabled([&] {
        const Landing page = alice.authorize(authorization_request());
        CHECK(page.verdict() == "page 400");
        CHECK(visible_text(page.answer.body).find("switched off") != std::string::npos);
        CHECK(alice.log_in(login).verdict() == "page 400");
        CHECK(alice.session_cookie().empty());
    });
    const Landing consent = alice.log_in(login);
    CHECK(consent.verdict() == "consent");
    disabled([&] {
        CHECK(alice.approve(consent).verdict() == "page 400");
        CHECK(alice.open(consent.url).verdict() == "page 400");
        CHECK(alice.authorize(authorization_request().with("prompt", "none")).verdict() == "page 400");
    });
    const Landing done = alice.approve(consent);
    const Query request = token_request(done.parameter("code"));
    disabled([&] { CHECK(redeem(op, request).verdict() == "401 invalid_client"); });
    const Answer tokens = redeem(op, request);
    CHECK(tokens.status == 200);
    const std::string refresh_token = tokens.member("refresh_token");
    const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", refresh_token}};
    disabled([&] {
        CHECK(userinfo(op, tokens.member("access_token")).status == 401);
        CHECK(redeem(op, refresh).verdict() == "401 invalid_client");
        CHECK_FALSE(is_active(op, tokens.member("access_token")));
        CHECK_FALSE(is_active(op, refresh_token));
    });
    CHECK(userinfo(op, tokens.member("access_token")).status == 200);
    CHECK(is_active(op, tokens.member("access_token")));
    CHECK(is_active(op, refresh_token));
}

TEST_CASE("client changed: a right that its registration lost ends with the next step [T19]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing consent = alice.log_in(alice.authorize(authorization_request()));
    op.must({"client", "set", kWeb, "--redirect-uri", "https://moved.example/cb"});
    CHECK(alice.approve(consent).verdict() == "page 400");
    op.must({"client", "set", kWeb, "--redirect-uri", redirect_uri_of(kWeb)});
    const Landing done = alice.approve(consent);
    CHECK(done.verdict() == "code");
    op.must({"client", "remove", kWeb});
    CHECK(redeem(op, token_request(done.parameter("code"))).verdict() == "401 invalid_client");
}

TEST_CASE(
    "client changed: a scope or grant it lost, or a challenge it now needs, is refused when the request comes back") {
    struct Change {
        std::string when;
        std::vector<std::string> options;
        std::string expected;
    };
    const std::vector<Change> changes = {
        {"nothing that matters", {"--name", "Renamed"}, "code"},
        {"lost a requested scope", {"--scope", "openid"}, "invalid_scope"},
        {"lost another scope", {"--scope", "openid email"}, "code"},
        {"must send a challenge now", {"--pkce", "required"}, "invalid_request"},
        {"lost the grant", {"--grant", "client_credentials"}, "unauthorized_client"},
    };
    for (const Change& change : changes) {
        CAPTURE(change.when);
        const Deployment op;
        UserAgent alice(op);
        const Query request = authorization_request().without("code_challenge").without("code_challenge_method");
        const Landing consent = alice.log_in(alice.authorize(request));
        CHECK(consent.verdict() == "consent");
        std::vector<std::string> command = {"client", "set", kWeb};
        command.insert(command.end(), change.options.begin(), change.options.end());
        op.must(command);
        CHECK(alice.approve(consent).verdict() == change.expected);
    }
}

TEST_CASE(
    "user disabled, removed or given a new password: sessions, codes and tokens end, at once and for good [A27, T19]") {
    const std::vector<Command> commands = {
        {"disabled", {"user", "disable", kAlice}, ""},
        {"removed", {"user", "remove", kAlice}, ""},
        {"new password", {"user", "passwd", kAlice, "--password-stdin"}, "a new and longer password\n"},
    };
    for (const Command& command : commands) {
        CAPTURE(command.when);
        const Deployment op;
        UserAgent alice(op);
        const auto tokens = obtain_tokens(op, alice, authorization_request());
        const Query unredeemed = token_request(alice.obtain_code(authorization_request()));
        op.must(command.arguments, command.input);
        CHECK(userinfo(op, text_of(tokens, "access_token")).status == 401);
        CHECK_FALSE(is_active(op, text_of(tokens, "access_token")));
        CHECK_FALSE(is_active(op, text_of(tokens, "refresh_token")));
        const Query refresh{{"grant_type", "refresh_token"}, {"refresh_token", text_of(tokens, "refresh_token")}};
        CHECK(redeem(op, refresh).verdict() == "400 invalid_grant");
        CHECK(redeem(op, unredeemed).verdict() == "400 invalid_grant");
        CHECK(alice.authorize(authorization_request().with("prompt", "none")).verdict() == "login_required");
        const Landing login = alice.authorize(authorization_request());
        CHECK(login.verdict() == "login");
        CHECK(alice.log_in(login).verdict() == "login");  // the old password
        if (command.when == "new password")
            CHECK(alice.log_in(login, kAlice, "a new and longer password").verdict() == "code");
        if (command.when == "disabled") {
            op.must({"user", "enable", kAlice});
            CHECK(userinfo(op, text_of(tokens, "access_token")).status == 401);  // ended is ended
            CHECK_FALSE(is_active(op, text_of(tokens, "access_token")));
            CHECK(alice.log_in(login).verdict() == "code");
        }
    }
}

TEST_CASE("user disabled between login and consent: nothing is approved [A27]") {
    const Deployment op;
    UserAgent alice(op);
    const Landing consent = alice.log_in(alice.authorize(authorization_request()));
    op.must({"user", "disable", kAlice});
    CHECK(alice.approve(consent).verdict() == "login");
    CHECK(op.count_rows("consents") == 0);
    CHECK(op.count_rows("authorization_codes") == 0);
}

TEST_CASE("user renamed: the new name logs in, sub and session stay [OIDC Core §5.7]") {
    const Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request().with("scope", "openid profile"));
    const std::string sub = subject_of(op, kAlice);
    op.must({"user", "set", kAlice, "--username", "alicia"});
    CHECK(userinfo(op, text_of(tokens, "access_token")).member("preferred_username") == "alicia");
    CHECK(userinfo(op, text_of(tokens, "access_token")).member("sub") == sub);
    CHECK(alice.authorize(authorization_request()).verdict() == "consent");  // email was not approved
    UserAgent elsewhere(op);
    const Landing login = elsewhere.authorize(authorization_request());
    CHECK(elsewhere.log_in(login).verdict() == "login");
    CHECK(elsewhere.log_in(login, "alicia").verdict() == "consent");
}

}  // namespace
