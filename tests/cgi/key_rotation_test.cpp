// Signing keys from publication to retirement, as clients and their tokens see it (OpenID Connect Core §10.1.1).
#include <doctest/doctest.h>

#include "json/reader.h"
#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

std::string kid_of(const std::string& token) { return text_of(jwt_header(token), "kid"); }

bool publishes(const Deployment& op, const std::string& kid) {
    const Answer answer = op.cgi("jwks");
    REQUIRE(answer.status == 200);
    return answer.body.find(kid) != std::string::npos;
}

TEST_CASE("rotation: the set may be kept for as long as a new key waits, never longer [D04]") {
    const Deployment op;
    CgiRequest revalidate;
    revalidate.headers = {{"If-None-Match", op.cgi("jwks").header("ETag")}};
    CHECK(op.cgi("jwks", revalidate).status == 304);
    op.must({"key", "rotate"});
    CHECK(op.cgi("jwks", revalidate).status == 200);  // a set without the new key is not valid any longer
    const auto keys = json::parse(op.must({"key", "list", "--json"}));
    std::int64_t lead = 0;
    for (const json::Value& key : *keys->if_array()) {
        if (text_of(*key.if_object(), "state") == "next")
            lead = *key.if_object()->find("signs_from")->if_integer() - op.now();
    }
    CHECK(op.cgi("jwks").header("Cache-Control") == "public, max-age=" + std::to_string(lead));
    CHECK(op.cgi("discovery").header("Cache-Control") == "public, max-age=" + std::to_string(lead));
}

TEST_CASE(
    "rotation: tokens of the old key stay valid next to those of the new one, until it is retired [J18, OIDC Core §10.1.1]") {
    Deployment op;
    UserAgent alice(op);
    const auto before = obtain_tokens(op, alice, authorization_request());
    const std::string old = kid_of(text_of(before, "access_token"));
    op.must({"key", "rotate", "--lead", "100"});
    const auto waiting = obtain_tokens(op, alice, authorization_request());
    CHECK(kid_of(text_of(waiting, "access_token")) == old);
    op.advance(seconds(100));
    const auto after = obtain_tokens(op, alice, authorization_request());
    CHECK(kid_of(text_of(after, "access_token")) != old);
    CHECK(kid_of(text_of(after, "id_token")) != kid_of(text_of(before, "id_token")));
    for (const auto& tokens : {before, waiting, after}) {
        CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
        CHECK(publishes(op, kid_of(text_of(tokens, "access_token"))));
        CHECK(publishes(op, kid_of(text_of(tokens, "id_token"))));
    }
    // A refresh token of the old key yields tokens of the new one.
    const Answer refreshed =
        redeem(op, Query{{"grant_type", "refresh_token"}, {"refresh_token", text_of(before, "refresh_token")}});
    REQUIRE(refreshed.verdict() == "200");
    CHECK(kid_of(refreshed.member("access_token")) == kid_of(text_of(after, "access_token")));
    CHECK(kid_of(refreshed.member("refresh_token")) == kid_of(text_of(after, "access_token")));

    op.must({"key", "retire", old, "--force"});
    CHECK_FALSE(publishes(op, old));
    CHECK(userinfo(op, text_of(waiting, "access_token")).status == 401);
    CHECK(redeem(op, Query{{"grant_type", "refresh_token"}, {"refresh_token", text_of(waiting, "refresh_token")}})
              .verdict() == "400 invalid_grant");
    CHECK(userinfo(op, text_of(after, "access_token")).status == 200);
}

TEST_CASE("rotation: a key with a published half and no private one stops no program [J18]") {
    Deployment op;
    UserAgent alice(op);
    op.must({"key", "rotate", "--lead", "100"});
    op.must({"key", "rotate", "--lead", "50", "--force"});  // the keys in between keep the public half only
    op.advance(seconds(100));
    const auto tokens = obtain_tokens(op, alice, authorization_request());
    CHECK(userinfo(op, text_of(tokens, "access_token")).status == 200);
}

TEST_CASE("rotation: a new seal.key ends the requests in progress, not the sessions") {
    const Deployment op;
    UserAgent alice(op);
    alice.sign_in(authorization_request());
    UserAgent bob(op);
    const Landing form = bob.authorize(authorization_request());
    REQUIRE(form.verdict() == "login");
    op.must({"key", "rotate", "--seal"});
    CHECK(bob.log_in(form, kBob, kBobPassword).verdict() == "page 400");
    CHECK(bob.session_cookie().empty());
    CHECK(alice.authorize(authorization_request()).verdict() == "code");
    CHECK(bob.log_in(bob.authorize(authorization_request()), kBob, kBobPassword).verdict() == "consent");
}

}  // namespace
