// What a logout token says, and that neither an endpoint nor an application takes one for another token (OpenID Connect
// Back-Channel Logout 1.0 §2.4).
#include "oidc/logout_token.h"

#include <doctest/doctest.h>

#include <string>

#include "jose/jwt.h"
#include "json/reader.h"
#include "json/writer.h"
#include "oauth/access_token.h"
#include "oidc/id_token.h"
#include "oidc/logout_request.h"
#include "support/query.h"
#include "support/rules_fixture.h"
#include "util/base64.h"

using namespace postern;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client app = fixture.add_confidential("app", "https://app.example/cb", "s");
    store::LogoutNotice notice{.id = "id",
                               .client_id = model::ClientId("app"),
                               .subject = model::Subject("sub-1"),
                               .sid = model::Sid("sid-1"),
                               .jti = "jti-1"};

    std::string make() { return oidc::make_logout_token(context.settings, context.keys, app, notice, context.now()); }
};

std::string segment(const std::string& token, bool header) {
    const auto dot = token.find('.');
    const auto end = header ? dot : token.find('.', dot + 1);
    const auto begin = header ? 0 : dot + 1;
    return util::base64url_decode(token.substr(begin, end - begin)).value();
}

}  // namespace

TEST_CASE(
    "make_logout_token: the claims of §2.4 and no others, in a header of its own kind [BCL-6, Back-Channel Logout §2.2b, §2.4a]") {
    Fixture f;
    const std::int64_t now = util::to_epoch(f.context.now());
    const std::string token = f.make();
    CHECK(segment(token, true).find(R"("typ":"logout+jwt")") != std::string::npos);
    CHECK(segment(token, true).find(R"("alg":"RS256")") != std::string::npos);
    CHECK(segment(token, false) ==
          R"({"iss":")" + f.context.settings.issuer + R"(","sub":"sub-1","aud":"app","iat":)" + std::to_string(now) +
              R"(,"exp":)" + std::to_string(now + 120) +
              R"(,"jti":"jti-1","sid":"sid-1","events":{"http://schemas.openid.net/event/backchannel-logout":{}}})");
}

TEST_CASE(
    "make_logout_token: made anew at each try, by the algorithm of the client's ID tokens [BCL-6, Back-Channel Logout §4]") {
    Fixture f;
    f.fixture.settings.id_token_algorithms = {crypto::Algorithm::RS256, crypto::Algorithm::ES256};
    const std::string first = segment(f.make(), false);
    f.fixture.clock.advance(util::Seconds{60});
    const std::string second = segment(f.make(), false);
    CHECK(first != second);
    CHECK(second.find(R"("jti":"jti-1")") != std::string::npos);
    f.app.id_token_algorithm = crypto::Algorithm::ES256;
    CHECK(segment(f.make(), true).find(R"("alg":"ES256")") != std::string::npos);
    f.app.id_token_algorithm = crypto::Algorithm::EdDSA;
    CHECK_THROWS(f.make());
}

TEST_CASE(
    "a logout token is no ID token, access token, refresh token or hint, and an ID token is none [BCL-6, Back-Channel Logout §2.4b]") {
    Fixture f;
    const std::string token = f.make();
    for (const auto type : {jose::TokenType::id_token, jose::TokenType::access_token, jose::TokenType::refresh_token}) {
        const auto verified = jose::verify_jwt(f.context.keys.verifier(), token, type, f.context.settings.issuer,
                                               f.context.now(), jose::Expiry::ignored);
        CHECK_FALSE(verified);
    }
    const test::Query query{{"id_token_hint", token}};
    CHECK_FALSE(oidc::parse_logout_request(f.context, test::params(query.text())));
    CHECK_FALSE(oauth::verify_access_token(f.context, token, jose::Expiry::ignored));

    model::Grant grant;
    grant.client_id = f.app.id;
    grant.subject = f.notice.subject;
    grant.sid = f.notice.sid;
    const std::string id_token = oidc::make_id_token(f.context, crypto::Algorithm::RS256, {grant, "n", ""});
    const std::string claims = segment(id_token, false);
    CHECK(segment(id_token, true).find("logout") == std::string::npos);
    CHECK(claims.find("events") == std::string::npos);
    CHECK(claims.find("nonce") != std::string::npos);
}
