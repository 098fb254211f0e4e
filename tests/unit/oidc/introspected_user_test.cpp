// Which claims of a user introspection tells an API (RFC 7662 §2.2, §5).
#include "oidc/introspected_user.h"

#include <doctest/doctest.h>

#include "json/writer.h"
#include "store/groups.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client api = fixture.add_confidential("imap", "https://imap.example/cb", "s");
    model::User alice = fixture.add_user("alice");
    int asked = 0;  ///< how often the user's claims were read

    Fixture() { fixture.settings.oidc = true; }

    store::StoredAccessToken token(const std::string& scope) const {
        store::StoredAccessToken token;
        token.scope = *model::Scope::parse(scope);
        token.client_id = model::ClientId("mail");
        token.subject = alice.subject;
        token.userinfo_claims = {"phone_number"};
        return token;
    }

    oauth::UserClaimsOf claims_for(const std::optional<model::Client>& caller) {
        return oidc::claims_for_introspection(context, caller, [this](const model::Subject&) {
            ++asked;
            return json::Object{{"email", "alice@op.example"},
                                {"email_verified", true},
                                {"name", "Alice"},
                                {"nickname", ""},
                                {"sub", "mallory"},
                                {"phone_number", "+1"}};
        });
    }

    /// "" without a question.
    std::string told(const model::Client& caller, const std::string& scope) {
        const auto claims = claims_for(caller);
        return claims ? json::write(claims(token(scope))) : "";
    }
};

}  // namespace

TEST_CASE(
    "introspection: of the claims that an API may know, those that the token's scope releases, by their own names [RFC "
    "7662 §2.2jk]") {
    struct Row {
        const char* when;
        model::ClaimNames may_know;
        const char* scope;
        const char* told;
    };
    const Row rows[] = {
        {"the address, with its scope", {"email"}, "openid email mail", R"({"email":"alice@op.example"})"},
        {"without openid, as a token for a resource has it",
         {"email"},
         "email mail",
         R"({"email":"alice@op.example"})"},
        {"not without its scope", {"email"}, "openid mail", "{}"},
        {"not by another scope", {"email"}, "openid profile phone", "{}"},
        {"nothing else that the scope releases", {"email"}, "openid email profile", R"({"email":"alice@op.example"})"},
        {"two", {"email", "email_verified"}, "email", R"({"email":"alice@op.example","email_verified":true})"},
        {"of two scopes, one is there", {"email", "name"}, "profile", R"({"name":"Alice"})"},
        {"what the user does not have", {"address"}, "address", "{}"},
        {"what says nothing", {"nickname"}, "profile", "{}"},
        {"what was granted to the client by name", {"phone_number"}, "openid", "{}"},
        {"groups the user is not in", {"groups"}, "groups", "{}"},
        {"no name of the protocol", {"sub"}, "openid profile email", "{}"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.api.introspection_claims = row.may_know;
        CHECK(f.told(f.api, row.scope) == row.told);
    }
}

TEST_CASE("introspection: an API is told groups as it would be told as a client [RFC 7662 §2.2j]") {
    Fixture f;
    db::Transaction transaction(f.fixture.database, db::Durability::lazy);
    for (const char* group : {"staff", "admins"}) {
        REQUIRE(store::insert_group(transaction, {group, "", f.fixture.clock.now()}));
        store::add_member(transaction, group, f.alice.subject, f.fixture.clock.now());
    }
    transaction.commit();
    f.api.introspection_claims = {"groups"};
    CHECK(f.told(f.api, "groups") == R"({"groups":["admins","staff"]})");
    CHECK(f.told(f.api, "openid") == "{}");
}

TEST_CASE("introspection: who may know no claims is told none, and none are read [RFC 7662 §2.2k]") {
    Fixture f;
    CHECK_FALSE(f.claims_for(f.api));
    CHECK_FALSE(f.claims_for(std::nullopt));  // authenticateIntrospect: false
    f.api.introspection_claims = {"email"};
    CHECK(f.claims_for(f.api));
    f.fixture.settings.oidc = false;
    CHECK_FALSE(f.claims_for(f.api));
    f.fixture.settings.oidc = true;
    f.api.type = model::ClientType::public_;
    CHECK_FALSE(f.claims_for(f.api));
    CHECK(f.asked == 0);
}
