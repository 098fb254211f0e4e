// A logout request that travels through a browser comes back unchanged or not at all.
#include "oidc/sealed_logout.h"

#include <doctest/doctest.h>

#include "support/rules_fixture.h"

using namespace postern;

namespace {

oidc::LogoutRequest full(util::Time expires_at) {
    oidc::LogoutRequest request;
    request.id = "id";
    request.hinted_subject = model::Subject("sub");
    request.client_id = model::ClientId("app");
    request.redirect_uri = "https://app.example/bye?x=1";
    request.state = "a\"b\xc3\xa9\\";
    request.expires_at = expires_at;
    return request;
}

}  // namespace

TEST_CASE("seal_logout, open_logout: every member survives, and so does its absence") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto sent = full(fixture.clock.now() + util::Seconds{600});
    const auto opened = oidc::open_logout(context, oidc::seal_logout(context, {sent, "binding"}));
    REQUIRE(opened);
    CHECK(opened->browser == "binding");
    CHECK(opened->request.id == sent.id);
    CHECK(opened->request.hinted_subject == sent.hinted_subject);
    CHECK(opened->request.client_id == sent.client_id);
    CHECK(opened->request.redirect_uri == sent.redirect_uri);
    CHECK(opened->request.state == sent.state);
    CHECK(opened->request.expires_at == sent.expires_at);

    oidc::LogoutRequest bare;
    bare.id = "id";
    bare.expires_at = sent.expires_at;
    const auto empty = oidc::open_logout(context, oidc::seal_logout(context, {bare, ""}));
    REQUIRE(empty);
    CHECK(empty->browser.empty());
    CHECK_FALSE(empty->request.hinted_subject);
    CHECK_FALSE(empty->request.client_id);
    CHECK_FALSE(empty->request.redirect_uri);
    CHECK_FALSE(empty->request.state);
}

TEST_CASE("open_logout: refuses everything that was not sealed here for this purpose, and what is too old") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const std::string sealed = oidc::seal_logout(context, {full(fixture.clock.now() + util::Seconds{600}), "b"});
    model::AuthorizationRequest authorization;
    authorization.id = "id";
    authorization.expires_at = fixture.clock.now() + util::Seconds{600};
    const std::string other = oauth::seal_request(context, authorization, "b");
    for (const std::string& text : {std::string(), std::string("x"), sealed.substr(1), sealed + "A",
                                    sealed.substr(0, sealed.size() - 1), other, std::string(4000, 'A')}) {
        CAPTURE(text);
        const auto opened = oidc::open_logout(context, text);
        REQUIRE_FALSE(opened);
        CHECK(opened.error() == oauth::SealFault::forged);
    }
    CHECK_FALSE(oauth::open_request(context, sealed));

    fixture.clock.advance(util::Seconds{599});
    CHECK(oidc::open_logout(context, sealed));
    fixture.clock.advance(util::Seconds{1});
    const auto late = oidc::open_logout(context, sealed);
    REQUIRE_FALSE(late);
    CHECK(late.error() == oauth::SealFault::expired);
}
