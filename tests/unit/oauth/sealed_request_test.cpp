// What travels through a browser comes back unchanged or not at all.
#include "oauth/sealed_request.h"

#include <doctest/doctest.h>

#include "support/rules_fixture.h"

using namespace postern;

namespace {

model::AuthorizationRequest full(util::Time expires_at) {
    model::AuthorizationRequest r;
    r.id = "id";
    r.client_id = model::ClientId("app");
    r.redirect_uri = "https://app.example/cb?x=1";
    r.redirect_uri_sent = false;
    r.scope = *model::Scope::parse("openid email");
    r.state = "a\"b\xc3\xa9";
    r.nonce = "n";
    r.code_challenge = "c";
    r.prompt = {model::Prompt::login, model::Prompt::consent};
    r.max_age = util::Seconds{7};
    r.audience = "https://api.example";
    r.resources = {"https://a.example/", "urn:example:b"};
    r.response_type = model::ResponseType::token;
    r.response_mode = model::ResponseMode::form_post;
    r.claims.userinfo = {"email", "name"};
    r.claims.id_token = {"locale"};
    r.hinted_subject = model::Subject("s1");
    r.login_hint = "alice";
    r.session_sent = true;
    r.expires_at = expires_at;
    return r;
}

}  // namespace

TEST_CASE("seal_request, open_request: every member survives [IF34]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto sent = full(fixture.clock.now() + util::Seconds{600});
    const auto opened = oauth::open_request(context, oauth::seal_request(context, sent, "binding"));
    REQUIRE(opened);
    const auto& r = opened->request;
    CHECK(opened->browser == "binding");
    CHECK(r.id == sent.id);
    CHECK(r.client_id == sent.client_id);
    CHECK(r.redirect_uri == sent.redirect_uri);
    CHECK(r.redirect_uri_sent == sent.redirect_uri_sent);
    CHECK(r.scope == sent.scope);
    CHECK(r.state == sent.state);
    CHECK(r.nonce == sent.nonce);
    CHECK(r.code_challenge == sent.code_challenge);
    CHECK(r.prompt == sent.prompt);
    CHECK(r.max_age == sent.max_age);
    CHECK(r.audience == sent.audience);
    CHECK(r.resources == sent.resources);
    CHECK(r.response_type == sent.response_type);
    CHECK(r.response_mode == sent.response_mode);
    CHECK(r.claims.userinfo == sent.claims.userinfo);
    CHECK(r.claims.id_token == sent.claims.id_token);
    CHECK(r.hinted_subject == sent.hinted_subject);
    CHECK(r.login_hint == sent.login_hint);
    CHECK(r.session_sent == sent.session_sent);
    CHECK(r.expires_at == sent.expires_at);
}

TEST_CASE("seal_pushed, open_pushed: neither opens as the other, and the push survives each opening [PAR-11, PAR-15]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    auto sent = full(fixture.clock.now() + util::Seconds{90});
    sent.request_object = "0123456789abcdef";
    const std::string unpushed = oauth::seal_pushed(context, sent);
    sent.pushed = model::Pushed{"push", fixture.clock.now() + util::Seconds{690}};
    const std::string pushed = oauth::seal_pushed(context, sent);
    const std::string resume = oauth::seal_request(context, sent, "");
    const auto opened = oauth::open_pushed(context, pushed);
    REQUIRE(opened);
    CHECK(opened->id == sent.id);
    CHECK(opened->state == sent.state);
    CHECK(opened->pushed == sent.pushed);
    CHECK(opened->request_object == sent.request_object);
    const auto resumed = oauth::open_request(context, resume);
    REQUIRE(resumed);
    CHECK(resumed->request.pushed == sent.pushed);
    CHECK_FALSE(oauth::open_stale_request(context, pushed));
    for (const std::string& other : {resume, unpushed, std::string(), pushed + "A", pushed.substr(1)}) {
        const auto refused = oauth::open_pushed(context, other);
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == oauth::SealFault::forged);
    }
    fixture.clock.advance(util::Seconds{90});
    const auto late = oauth::open_pushed(context, pushed);
    REQUIRE_FALSE(late);
    CHECK(late.error() == oauth::SealFault::expired);
    CHECK(oauth::pushed_key(*sent.pushed) != oauth::request_key(sent));
}

TEST_CASE("seal_request, open_request: a login for a page of the account says which, and no client [ACCOUNT-1]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    model::AuthorizationRequest sent;
    sent.id = "id";
    sent.expires_at = fixture.clock.now() + util::Seconds{600};
    sent.account_page = "/account/password";
    const auto opened = oauth::open_request(context, oauth::seal_request(context, sent, "binding"));
    REQUIRE(opened);
    CHECK(opened->request.account_page == "/account/password");
    CHECK(opened->request.client_id.empty());
    CHECK(opened->browser == "binding");
}

TEST_CASE("seal_request, open_request: what was not sent is not there afterwards") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    model::AuthorizationRequest bare;
    bare.expires_at = fixture.clock.now() + util::Seconds{600};
    const auto opened = oauth::open_request(context, oauth::seal_request(context, bare, ""));
    REQUIRE(opened);
    const auto& r = opened->request;
    CHECK(r.scope.empty());
    CHECK_FALSE(r.state);
    CHECK_FALSE(r.nonce);
    CHECK_FALSE(r.code_challenge);
    CHECK_FALSE(r.audience);
    CHECK(r.resources.empty());
    CHECK_FALSE(r.hinted_subject);
    CHECK_FALSE(r.login_hint);
    CHECK_FALSE(r.max_age);
    CHECK_FALSE(r.session_sent);
    CHECK(r.prompt.empty());
    CHECK(r.claims.empty());
    CHECK(r.account_page.empty());
}

TEST_CASE("open_request: refuses everything that was not sealed here, and what is too old") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const std::string sealed = oauth::seal_request(context, full(fixture.clock.now() + util::Seconds{600}), "b");
    for (const std::string& text : {std::string(), std::string("x"), sealed.substr(1), sealed + "A",
                                    sealed.substr(0, sealed.size() - 1), std::string(4000, 'A')}) {
        CAPTURE(text);
        const auto opened = oauth::open_request(context, text);
        REQUIRE_FALSE(opened);
        CHECK(opened.error() == oauth::SealFault::forged);
    }
    for (std::size_t at = 0; at < sealed.size(); ++at) {
        std::string bent = sealed;
        bent[at] = bent[at] == 'A' ? 'B' : 'A';
        CAPTURE(at);
        CHECK_FALSE(oauth::open_request(context, bent));
    }
    fixture.clock.advance(util::Seconds{599});
    CHECK(oauth::open_request(context, sealed));
    fixture.clock.advance(util::Seconds{1});
    const auto late = oauth::open_request(context, sealed);
    const auto stale = oauth::open_stale_request(context, sealed);
    REQUIRE(stale);
    CHECK(stale->browser == "b");
    CHECK_FALSE(oauth::open_stale_request(context, sealed.substr(1)));
    REQUIRE_FALSE(late);
    CHECK(late.error() == oauth::SealFault::expired);
}

TEST_CASE("request_key: the id is not what is stored") {
    model::AuthorizationRequest a, b;
    a.id = "one";
    b.id = "two";
    CHECK(oauth::request_key(a).str() != oauth::request_key(b).str());
    CHECK(oauth::request_key(a).str().find("one") == std::string::npos);
    CHECK(oauth::request_key(a).str().size() == 64);
}
