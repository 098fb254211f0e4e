// What a code is good for, once (RFC 6749 §4.1.3, §4.1.2; RFC 7636 §4.6).
#include "oauth/grant_authorization_code.h"

#include <doctest/doctest.h>

#include "oauth/access_token.h"
#include "oauth/issue_grant.h"
#include "oauth/sealed_request.h"
#include "store/access_tokens.h"
#include "store/clients.h"
#include "store/users.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

const std::string kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const std::string kChallenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    model::Client client = fixture.add_confidential("app", "https://app.example/cb", "s");
    model::Client other = fixture.add_confidential("other", "https://other.example/cb", "s");
    model::User user = fixture.add_user("alice");
    model::Session session = fixture.add_session(user, "cookie");
    int requests = 0;

    model::AuthorizationRequest request() {
        model::AuthorizationRequest asked;
        asked.id = "request " + std::to_string(++requests);
        asked.client_id = client.id;
        asked.redirect_uri = "https://app.example/cb";
        asked.scope = *model::Scope::parse("openid email");
        asked.code_challenge = kChallenge;
        asked.expires_at = fixture.clock.now() + util::Seconds{600};
        return asked;
    }

    oauth::AuthorizationCodeGrant grant(const model::AuthorizationRequest& asked) {
        const auto code = oauth::issue_code(context, {asked, session, oauth::ConsentSource::not_asked});
        REQUIRE(code);
        return {*code, "https://app.example/cb", kVerifier, std::nullopt};
    }
    oauth::AuthorizationCodeGrant grant() { return grant(request()); }

    /// "" and the token's value, or the error.
    std::string redeem(const oauth::AuthorizationCodeGrant& g, const model::Client& by) {
        const auto checked = oauth::find_usable_code(context, by, g);
        if (!checked) return std::string(oauth::wire_name(oauth::settle(context, by, checked.error()).code));
        const auto issue =
            oauth::make_access_token(context, {checked->stored.grant, checked->scope, checked->target, "alice"});
        const auto redeemed =
            oauth::redeem_code(context, checked->stored, issue.record, std::nullopt, oauth::SessionNote::none);
        if (!redeemed) return std::string(oauth::wire_name(redeemed.error().code));
        last_token = issue.value;
        return "";
    }
    std::string redeem(const oauth::AuthorizationCodeGrant& g) { return redeem(g, client); }

    bool is_active(const std::string& token) {
        const auto known = oauth::verify_access_token(context, token, jose::Expiry::ignored);
        const auto stored = known ? store::find_access_token(context.store, known->key) : std::nullopt;
        return stored && store::is_active(*stored, fixture.clock.now());
    }

    std::string last_token;
};

}  // namespace

TEST_CASE("a code is redeemed once, and its token is active [IF2]") {
    Fixture f;
    const auto g = f.grant();
    CHECK(f.redeem(g) == "");
    CHECK(f.is_active(f.last_token));
}

TEST_CASE("what burns a code and what leaves it as it is") {
    struct Row {
        const char* when;
        void (*spoil)(oauth::AuthorizationCodeGrant&);
        bool by_other;
        const char* error;
        bool still_works;
    };
    using G = oauth::AuthorizationCodeGrant;
    const Row rows[] = {
        {"wrong verifier", [](G& g) { g.code_verifier = std::string(43, 'a'); }, false, "invalid_grant", false},
        {"missing verifier", [](G& g) { g.code_verifier.reset(); }, false, "invalid_grant", false},
        {"wrong redirect_uri", [](G& g) { g.redirect_uri = "https://app.example/other"; }, false, "invalid_grant",
         false},
        {"missing redirect_uri", [](G& g) { g.redirect_uri.reset(); }, false, "invalid_grant", false},
        {"another client", [](G&) {}, true, "invalid_grant", true},
        {"the issuer as audience", [](G& g) { g.target = "https://op.example"; }, false, "invalid_target", true},
        {"an endpoint as audience", [](G& g) { g.target = "https://op.example/token"; }, false, "invalid_target", true},
        {"a client as audience [RFC 9068 §5]", [](G& g) { g.target = "other"; }, false, "invalid_target", true},
        {"another code", [](G& g) { g.code += "x"; }, false, "invalid_grant", true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        const auto good = f.grant();
        auto spoiled = good;
        row.spoil(spoiled);
        CHECK(f.redeem(spoiled, row.by_other ? f.other : f.client) == row.error);
        CHECK(f.redeem(good) == (row.still_works ? "" : "invalid_grant"));
    }
}

TEST_CASE("max_age is checked again at the exchange; 0 is not, the leeway counts [IF82, IF108]") {
    struct Row {
        int max_age, leeway, waited;
        const char* result;
    };
    const Row rows[] = {
        {10, 0, 10, ""},  {10, 0, 11, "invalid_grant"}, {10, 2, 12, ""}, {10, 2, 13, "invalid_grant"}, {0, 0, 30, ""},
        {10, 0, -60, ""}, {10, 0, -61, "invalid_grant"}};
    for (const Row& row : rows) {
        CAPTURE(row.max_age);
        CAPTURE(row.waited);
        Fixture f;
        f.fixture.settings.max_age_leeway = util::Seconds{row.leeway};
        auto asked = f.request();
        asked.max_age = util::Seconds{row.max_age};
        const auto g = f.grant(asked);
        f.fixture.clock.advance(util::Seconds{row.waited});
        CHECK(f.redeem(g) == row.result);
    }
}

TEST_CASE("a user who is disabled or removed between the steps gets no token") {
    Fixture f;
    const auto g = f.grant();
    {
        db::Transaction transaction(f.fixture.database, db::Durability::full);
        f.user.enabled = false;
        REQUIRE(store::update_user(transaction, f.user));
        transaction.commit();
    }
    CHECK(f.redeem(g) == "invalid_grant");
}

TEST_CASE("two requests that both passed the checks: one token, and the loser revokes it") {
    Fixture f;
    const auto g = f.grant();
    const auto first = oauth::find_usable_code(f.context, f.client, g);
    const auto second = oauth::find_usable_code(f.context, f.client, g);
    REQUIRE(first);
    REQUIRE(second);
    const auto a = oauth::make_access_token(f.context, {first->stored.grant, first->scope});
    const auto b = oauth::make_access_token(f.context, {second->stored.grant, second->scope});
    CHECK(oauth::redeem_code(f.context, first->stored, a.record, std::nullopt, oauth::SessionNote::none));
    CHECK_FALSE(oauth::redeem_code(f.context, second->stored, b.record, std::nullopt, oauth::SessionNote::none));
    CHECK_FALSE(f.is_active(a.value));
    CHECK_FALSE(f.is_active(b.value));
}
