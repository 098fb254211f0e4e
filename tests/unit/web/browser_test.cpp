// Cookies, and what they prove.
#include "web/browser.h"

#include <doctest/doctest.h>

#include "store/sessions.h"
#include "store/users.h"
#include "support/rules_fixture.h"

using namespace postern;

namespace {

std::string session_cookie(const test::RulesFixture& fixture, const std::string& value) {
    return web::cookie_names(fixture.settings).session + "=" + value;
}

web::Browser see(test::RulesFixture& fixture, const std::string& cookie) {
    auto context = fixture.context();
    http::Request request = test::get("");
    request.cookie = cookie;
    return web::recognise(context, request);
}

}  // namespace

TEST_CASE("cookie_names: one pair per issuer, __Host- on https only") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.cookie_tag = "0123abcd";
    const auto https = web::cookie_names(settings);
    CHECK(https.browser.starts_with("__Host-postern-browser-"));
    CHECK(https.session == "__Host-postern-0123abcd");
    CHECK(https.security == http::CookieSecurity::https);
    settings.issuer = "http://127.0.0.1:8080";
    const auto local = web::cookie_names(settings);
    CHECK(local.session.starts_with("postern-"));
    CHECK(local.security == http::CookieSecurity::loopback_http);
}

TEST_CASE("recognise: an active session only; unknown values are anonymous and are not adopted [IF159, L03]") {
    test::RulesFixture fixture;
    auto alice = fixture.add_user("alice");
    const auto session = fixture.add_session(alice, "live");
    const auto found = see(fixture, session_cookie(fixture, "live"));
    REQUIRE(found.session);
    CHECK(found.session->subject == alice.subject);
    CHECK_FALSE(see(fixture, "").session);
    CHECK_FALSE(see(fixture, session_cookie(fixture, "chosen-by-attacker")).session);
    CHECK_FALSE(see(fixture, session_cookie(fixture, "live") + "; " + session_cookie(fixture, "live")).session);
    CHECK_FALSE(see(fixture, "postern-00000000=live").session);
}

TEST_CASE("recognise: idle and absolute expiry, to the second [L04]") {
    test::RulesFixture fixture;
    const auto alice = fixture.add_user("alice");
    fixture.add_session(alice, "cookie-value");
    fixture.clock.advance(util::Seconds{7200});
    CHECK(see(fixture, session_cookie(fixture, "cookie-value")).session);
    fixture.clock.advance(util::Seconds{1});
    CHECK_FALSE(see(fixture, session_cookie(fixture, "cookie-value")).session);

    fixture.settings.session_idle_ttl = util::Seconds{100000};
    fixture.add_session(alice, "second-value");
    fixture.clock.advance(util::Seconds{43199});
    CHECK(see(fixture, session_cookie(fixture, "second-value")).session);
    fixture.clock.advance(util::Seconds{1});
    CHECK_FALSE(see(fixture, session_cookie(fixture, "second-value")).session);
}

TEST_CASE("recognise: a disabled user's session does not count") {
    test::RulesFixture fixture;
    auto alice = fixture.add_user("alice");
    fixture.add_session(alice, "cookie-value");
    alice.enabled = false;
    db::Transaction transaction(fixture.database, db::Durability::full);
    REQUIRE(store::update_user(transaction, alice));
    transaction.commit();
    CHECK_FALSE(see(fixture, session_cookie(fixture, "cookie-value")).session);
}

TEST_CASE(
    "start_session: a new value each time, the old one invalid, the inner id kept for the same user only [IF113, CWE-384, L02]") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const auto alice = fixture.add_user("alice");
    const auto bob = fixture.add_user("bob");
    const auto start = [&](const web::Browser& browser, const model::Subject& subject) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        auto started =
            web::start_session(context, transaction, browser, subject, fixture.clock.now(), model::by_password());
        transaction.commit();
        return started.cookie;
    };
    const std::string first = start(web::Browser{}, alice.subject);
    const auto before = see(fixture, session_cookie(fixture, first));
    fixture.clock.advance(util::Seconds{10});
    const std::string second = start(before, alice.subject);
    CHECK(second != first);
    CHECK_FALSE(see(fixture, session_cookie(fixture, first)).session);
    const auto after = see(fixture, session_cookie(fixture, second));
    REQUIRE(after.session);
    CHECK(after.session->sid == before.session->sid);
    CHECK(after.session->auth_time == before.session->auth_time + util::Seconds{10});

    // Of two logins at once with the same old cookie, one takes its place: one id never names two sessions.
    const auto twin = see(fixture, session_cookie(fixture, start(before, alice.subject)));
    REQUIRE(twin.session);
    CHECK(twin.session->sid != after.session->sid);

    const auto bobs = see(fixture, session_cookie(fixture, start(after, bob.subject)));
    REQUIRE(bobs.session);
    CHECK(bobs.session->sid != after.session->sid);
    CHECK_FALSE(see(fixture, session_cookie(fixture, second)).session);
}
