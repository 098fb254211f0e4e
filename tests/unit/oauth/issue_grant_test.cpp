// What an approval is worth, once: the rules that a code and an implicit token have in common (RFC 6749 §4.1.2,
// §4.2.2).
#include "oauth/issue_grant.h"

#include <doctest/doctest.h>

#include "oauth/issue_code.h"
#include "oauth/issue_token.h"
#include "store/consents.h"
#include "store/grants.h"
#include "store/users.h"
#include "support/world.h"

using namespace postern;
using oauth::Consent;
using oauth::NotIssued;

namespace {

struct Fixture {
    test::World world;
    oauth::Context context = world.context();
    model::Client client = world.add_confidential("app", "https://app.example/cb", "s");
    model::User user = world.add_user("alice");
    model::Session session = world.add_session(user, "cookie");
    model::ResponseType type;
    int requests = 0;

    explicit Fixture(model::ResponseType type_) : type(type_) {}

    model::AuthorizationRequest request() {
        model::AuthorizationRequest asked;
        asked.id = "request " + std::to_string(++requests);
        asked.client_id = client.id;
        asked.redirect_uri = "https://app.example/cb";
        asked.scope = *model::Scope::parse("openid email");
        asked.expires_at = world.clock.now() + util::Seconds{600};
        return asked;
    }

    /// nullopt when a credential was issued.
    std::optional<NotIssued> issue(const model::AuthorizationRequest& asked, Consent consent = Consent::not_asked) {
        if (type == model::ResponseType::code) {
            const auto code = oauth::issue_code(context, {asked, session, consent});
            return code ? std::nullopt : std::optional(code.error());
        }
        const auto token = oauth::issue_token(context, {asked, session, consent});
        return token ? std::nullopt : std::optional(token.error());
    }

    std::int64_t count(const char* sql) {
        auto rows = world.database.prepare(sql);
        REQUIRE(rows.step());
        return rows.integer(0);
    }
};

constexpr model::ResponseType kTypes[] = {model::ResponseType::code, model::ResponseType::token};

}  // namespace

TEST_CASE("issue: one request yields at most one credential, and none once it was refused") {
    for (const auto type : kTypes) {
        CAPTURE(static_cast<int>(type));
        Fixture f(type);
        const auto asked = f.request();
        CHECK_FALSE(f.issue(asked));
        CHECK(f.issue(asked) == NotIssued::request_used);
        const auto ended = f.request();
        oauth::end_request(f.context, ended, f.session);
        CHECK(f.issue(ended) == NotIssued::request_used);
        CHECK(f.count("SELECT COUNT(*) FROM grants") == 1);
        CHECK(f.count("SELECT COUNT(*) FROM authorization_codes") == (type == model::ResponseType::code ? 1 : 0));
        CHECK(f.count("SELECT COUNT(*) FROM access_tokens") == (type == model::ResponseType::token ? 1 : 0));
        CHECK(f.count("SELECT COUNT(*) FROM refresh_tokens") == 0);
    }
}

TEST_CASE("issue: consent given for this request is remembered with its credential, and only then") {
    for (const auto type : kTypes) {
        CAPTURE(static_cast<int>(type));
        Fixture f(type);
        const auto remembered = [&] { return store::find_consent(f.world.database, f.client.id, f.user.subject); };
        CHECK_FALSE(f.issue(f.request(), Consent::not_asked));
        CHECK_FALSE(remembered());
        CHECK_FALSE(f.issue(f.request(), Consent::given_now));
        REQUIRE(remembered());
        CHECK(remembered()->scope.to_string() == "openid email");
    }
}

TEST_CASE("issue: a session that ended while the request waited gives nothing") {
    for (const auto type : kTypes) {
        CAPTURE(static_cast<int>(type));
        Fixture f(type);
        store::Transaction transaction(f.world.database, store::Durability::full);
        store::end_user_access(transaction, f.user.subject, f.world.clock.now());
        transaction.commit();
        CHECK(f.issue(f.request(), Consent::given_now) == NotIssued::session_ended);
        CHECK(f.count("SELECT COUNT(*) FROM grants") == 0);
        CHECK(f.count("SELECT COUNT(*) FROM consents") == 0);
    }
}

TEST_CASE("make_grant: says who gave what to whom, when and in which session") {
    Fixture f(model::ResponseType::code);
    auto asked = f.request();
    asked.claims.userinfo = model::parse_claim_names("name");
    const auto grant = oauth::make_grant(f.context, {asked, f.session, Consent::not_asked});
    CHECK(grant.client_id == f.client.id);
    CHECK(grant.subject == f.user.subject);
    CHECK(grant.scope == asked.scope);
    CHECK(grant.claims.userinfo == asked.claims.userinfo);
    CHECK(grant.auth_time == f.session.auth_time);
    CHECK(grant.sid == f.session.sid);
    CHECK(grant.created_at == f.world.clock.now());
    CHECK(grant.id != oauth::make_grant(f.context, {asked, f.session, Consent::not_asked}).id);
}
