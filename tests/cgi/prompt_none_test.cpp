// Silent renewal: the client asks in a hidden frame and is always answered, never the user (OpenID Connect Core
// §3.1.2.1).
#include <doctest/doctest.h>

#include <string>

#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

Query silent(const char* client = kWeb) { return authorization_request(client).with("prompt", "none"); }

TEST_CASE("prompt=none: the life of a silent renewal [IF67, IF103, OIDC Core §3.1.2.1w, A13]") {
    Deployment op;
    UserAgent alice(op);
    const auto ask = [&](const Query& request) {
        const Answer answer = alice.fetch(op.url("authorize") + "?" + request.text());
        CHECK(answer.body.find("<form") == std::string::npos);
        return verdict_of(op, answer);
    };
    CHECK(ask(silent()) == "login_required");
    CHECK(op.count_rows("authorization_requests") == 0);
    alice.log_in(alice.authorize(authorization_request()));
    CHECK(ask(silent()) == "consent_required");
    alice.sign_in(authorization_request());
    CHECK(ask(silent()) == "code");
    CHECK(ask(silent().with("scope", "openid email api")) == "consent_required");
    CHECK(ask(silent().with("max_age", "600")) == "code");
    op.advance(seconds(100));
    CHECK(ask(silent().with("max_age", "100")) == "code");
    CHECK(ask(silent().with("max_age", "99")) == "login_required");
    CHECK(ask(silent().with("max_age", "0")) == "login_required");
    const std::string code = alice.obtain_code(silent());
    CHECK(redeem(op, token_request(code)).status == 200);
    op.advance(seconds(7201));
    CHECK(ask(silent()) == "login_required");
}

TEST_CASE("prompt=none: the client gets the reason of a refusal, and the state [IF104, IF175]") {
    const Deployment op;
    UserAgent visitor(op);
    const Landing refused = visitor.authorize(silent().with("state", "a&b=c"));
    CHECK(refused.verdict() == "login_required");
    CHECK(refused.parameter("state") == "a&b=c");
    CHECK(refused.mode == "query");
    CHECK(refused.parameter("iss") == op.issuer());
    CHECK_FALSE(refused.parameter("error_description").empty());
    CHECK(refused.visited.size() == 1);
}

TEST_CASE("prompt=none: does not make an open redirector [RFC 9700 §4.11.2, A14, RFC 6749 §10.15]") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    for (const std::string uri : {"https://evil.example/", "https://evil.example/cb", "https://app.example/cb/",
                                  "https://app.example/cb/..", "//evil.example", "javascript:alert(1)"}) {
        CAPTURE(uri);
        UserAgent visitor(op);
        for (UserAgent* browser : {&alice, &visitor}) {
            const Answer answer = browser->fetch(op.url("authorize") + "?" + silent().with("redirect_uri", uri).text());
            CHECK(answer.status == 400);
            CHECK_FALSE(answer.has("Location"));
        }
    }
}

}  // namespace
