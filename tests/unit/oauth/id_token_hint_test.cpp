// Which tokens hint at a user (OpenID Connect Core §3.1.2.1).
#include "oauth/id_token_hint.h"

#include <doctest/doctest.h>

#include "oauth/access_token.h"
#include "oidc/id_token.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Grant grant;

    Fixture() {
        grant.id = model::GrantId("grant");
        grant.client_id = model::ClientId("app");
        grant.subject = model::Subject("alice-sub");
        grant.scope = *model::Scope::parse("openid");
        grant.auth_time = fixture.clock.now();
        grant.sid = model::Sid("sid-1");
    }
    std::string id_token() { return oidc::make_id_token(context, {grant, std::nullopt, "access"}); }
};

std::string with_byte_changed(std::string token, std::size_t at) {
    token[at] = token[at] == 'A' ? 'B' : 'A';
    return token;
}

}  // namespace

TEST_CASE(
    "verify_id_token_hint: our own ID token names user, client and session, expired or not [OIDC Core §3.1.2.1, "
    "§3.1.2.2e]") {
    Fixture f;
    const std::string token = f.id_token();
    for (const util::Seconds age : {util::Seconds{0}, util::Seconds{3600}, util::Seconds{100'000'000}}) {
        f.fixture.clock.advance(age);
        const auto hint = oauth::verify_id_token_hint(f.context, token);
        REQUIRE(hint.has_value());
        CHECK(hint->subject == model::Subject("alice-sub"));
        CHECK(hint->client_id == model::ClientId("app"));
        CHECK(hint->sid == model::Sid("sid-1"));
    }
}

TEST_CASE(
    "verify_id_token_hint: what this server did not sign as an ID token names no user [RFC 8725 §3.12, OIDC Core §3.1.2.2d]") {
    Fixture f;
    const std::string token = f.id_token();
    const std::size_t payload = token.find('.') + 1;
    const std::size_t signature = token.rfind('.') + 1;
    const std::string access = oauth::make_access_token(f.context, {f.grant, f.grant.scope, {}, "alice"}).value;
    f.fixture.settings.issuer = "https://other.example";
    const std::string foreign = f.id_token();
    f.fixture.settings.issuer = "https://op.example";
    const std::string rows[] = {
        "",
        "alice-sub",
        "e30.e30.",
        "eyJhbGciOiJub25lIn0" + token.substr(payload - 1, signature - payload + 1),  // {"alg":"none"}
        token.substr(0, signature),
        token + ".",
        with_byte_changed(token, payload + 10),
        with_byte_changed(token, signature + 10),
        access,
        foreign,
    };
    for (const std::string& row : rows) {
        CAPTURE(row);
        CHECK_FALSE(oauth::verify_id_token_hint(f.context, row).has_value());
    }
}
