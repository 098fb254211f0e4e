// The token of the implicit grant (RFC 6749 §4.2.2; the interface specification, aud).
#include "oauth/issue_token.h"

#include <doctest/doctest.h>

#include "json/reader.h"
#include "oauth/access_token.h"
#include "store/access_tokens.h"
#include "store/users.h"
#include "support/rules_fixture.h"
#include "util/base64.h"
#include "util/text.h"

using namespace postern;

namespace {

json::Object claims_of(const std::string& token) {
    const auto value = json::parse(*util::base64url_decode(util::split(token, '.').at(1)));
    REQUIRE(value);
    return *value->if_object();
}

std::string text_of(const json::Object& object, const char* name) {
    const json::Value* value = object.find(name);
    return value && value->if_string() ? *value->if_string() : "";
}

}  // namespace

TEST_CASE("issue_token: an active token of the user for the client, always without an audience") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto client = fixture.add_confidential("app", "https://app.example/cb", "s");
    const auto user = fixture.add_user("alice");
    const auto session = fixture.add_session(user, "cookie");
    model::AuthorizationRequest asked;
    asked.id = "request";
    asked.client_id = client.id;
    asked.scope = *model::Scope::parse("openid email");
    asked.audience = "https://api.example";
    asked.expires_at = fixture.clock.now() + util::Seconds{600};

    const auto token = oauth::issue_token(context, {asked, session, oauth::ConsentSource::not_asked});
    REQUIRE(token);
    CHECK(token->scope == asked.scope);
    CHECK(token->expires_in == fixture.settings.access_token_ttl);
    const auto claims = claims_of(token->value);
    CHECK(text_of(claims, "sub") == user.subject.str());
    CHECK(text_of(claims, "cid") == "app");
    CHECK(text_of(claims, "scope") == "openid email");
    CHECK(text_of(claims, "username") == "alice");
    CHECK(claims.find("aud") == nullptr);
    const auto known = oauth::verify_access_token(context, token->value, jose::Expiry::enforced);
    REQUIRE(known);
    const auto stored = store::find_access_token(context.store, known->key);
    REQUIRE(stored);
    CHECK(store::is_active(*stored, fixture.clock.now()));
    CHECK_FALSE(store::is_active(*stored, fixture.clock.now() + token->expires_in));
}

TEST_CASE("issue_token: a user who was removed while the request waited gets nothing") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto client = fixture.add_confidential("app", "https://app.example/cb", "s");
    const auto user = fixture.add_user("alice");
    const auto session = fixture.add_session(user, "cookie");
    {
        db::Transaction transaction(fixture.database, db::Durability::full);
        store::remove_user(transaction, user.subject);
        transaction.commit();
    }
    model::AuthorizationRequest asked;
    asked.id = "request";
    asked.client_id = client.id;
    asked.expires_at = fixture.clock.now() + util::Seconds{600};
    const auto token = oauth::issue_token(context, {asked, session, oauth::ConsentSource::not_asked});
    REQUIRE_FALSE(token);
    CHECK(token.error() == oauth::NotIssued::session_ended);
}
