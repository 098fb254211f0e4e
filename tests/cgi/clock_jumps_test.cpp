// A clock that jumps resurrects nothing and breaks nothing (S18).
#include <doctest/doctest.h>

#include <string>

#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;

TEST_CASE("clock back: what was spent, revoked or disabled stays so [S18]") {
    Deployment op;
    UserAgent alice(op);
    const Query redeemed = token_request(alice.obtain_code(authorization_request()));
    const Answer tokens = redeem(op, redeemed);
    const Query burned = token_request(alice.obtain_code(authorization_request()));
    CHECK(redeem(op, burned.without("code_verifier")).verdict() == "400 invalid_grant");
    CHECK(redeem(op, redeemed).verdict() == "400 invalid_grant");  // revokes
    op.advance(seconds(-3600));
    CHECK(redeem(op, redeemed).verdict() == "400 invalid_grant");
    CHECK(redeem(op, burned).verdict() == "400 invalid_grant");
    op.advance(seconds(3600));
    CHECK(userinfo(op, tokens.member("access_token")).status == 401);
}

TEST_CASE("clock back: a token from the future is believed for a minute's step and no more [J12]") {
    Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const std::string access = text_of(tokens, "access_token");
    op.advance(seconds(-60));
    CHECK(userinfo(op, access).status == 200);
    op.advance(seconds(-1));
    CHECK(userinfo(op, access).status == 401);
}

TEST_CASE("clock back: users and clients go on, with lifetimes that are never negative [S18]") {
    Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    op.advance(seconds(-3600));
    UserAgent again(op);
    const Landing done = again.sign_in(authorization_request());
    CHECK(done.verdict() == "code");
    const Answer tokens = redeem(op, token_request(done.parameter("code")));
    CHECK(tokens.status == 200);
    CHECK(number_of(tokens.json(), "expires_in") == 900);
    CHECK(number_of(jwt_claims(tokens.member("id_token")), "auth_time") == op.now());
    CHECK(userinfo(op, tokens.member("access_token")).status == 200);
    CHECK(alice.authorize(authorization_request()).answer.status == 303);
}

TEST_CASE("clock forward: everything with an end has ended") {
    Deployment op;
    UserAgent alice(op);
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    const Query exchange = token_request(alice.obtain_code(authorization_request()));
    const Landing consent = alice.authorize(authorization_request().with("prompt", "consent"));
    op.advance(seconds(86400));
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 401);
    CHECK(redeem(op, exchange).verdict() == "400 invalid_grant");
    CHECK(alice.approve(consent).verdict() == "page 400");
    CHECK(alice.authorize(authorization_request()).verdict() == "login");
}

}  // namespace
