// Cookies, and what they prove.
#include "web/browser.h"

#include <doctest/doctest.h>

#include "store/sessions.h"
#include "store/users.h"
#include "support/world.h"

using namespace postern;

namespace {

std::string session_cookie(const test::World& world, const std::string& value) {
    return web::cookie_names(world.settings.issuer).session + "=" + value;
}

web::Browser see(test::World& world, const std::string& cookie) {
    auto context = world.context();
    http::Request request = test::get("");
    request.cookie = cookie;
    return web::recognise(context, request);
}

}  // namespace

TEST_CASE("cookie_names: one pair per issuer, __Host- on https only") {
    const auto https = web::cookie_names("https://op.example");
    CHECK(https.browser.starts_with("__Host-postern-browser-"));
    CHECK(https.session.starts_with("__Host-postern-"));
    CHECK(https.session.size() == std::string("__Host-postern-").size() + 8);
    CHECK(https.security == http::CookieSecurity::https);
    const auto local = web::cookie_names("http://127.0.0.1:8080");
    CHECK(local.session.starts_with("postern-"));
    CHECK(local.security == http::CookieSecurity::loopback_http);
    CHECK(web::cookie_names("https://op.example/a").session != https.session);
}

TEST_CASE("recognise: a live session only; unknown values are nobody and are not adopted") {
    test::World world;
    auto alice = world.add_user("alice");
    const auto session = world.add_session(alice, "live");
    const auto found = see(world, session_cookie(world, "live"));
    REQUIRE(found.session);
    CHECK(found.session->subject == alice.subject);
    CHECK_FALSE(see(world, "").session);
    CHECK_FALSE(see(world, session_cookie(world, "chosen-by-attacker")).session);
    CHECK_FALSE(see(world, session_cookie(world, "live") + "; " + session_cookie(world, "live")).session);
    CHECK_FALSE(see(world, "postern-00000000=live").session);
}

TEST_CASE("recognise: idle and absolute expiry, to the second") {
    test::World world;
    const auto alice = world.add_user("alice");
    world.add_session(alice, "cookie-value");
    world.clock.advance(util::Seconds{7200});
    CHECK(see(world, session_cookie(world, "cookie-value")).session);
    world.clock.advance(util::Seconds{1});
    CHECK_FALSE(see(world, session_cookie(world, "cookie-value")).session);

    world.settings.session_idle_ttl = util::Seconds{100000};
    world.add_session(alice, "second-value");
    world.clock.advance(util::Seconds{43199});
    CHECK(see(world, session_cookie(world, "second-value")).session);
    world.clock.advance(util::Seconds{1});
    CHECK_FALSE(see(world, session_cookie(world, "second-value")).session);
}

TEST_CASE("recognise: a disabled user's session is no session") {
    test::World world;
    auto alice = world.add_user("alice");
    world.add_session(alice, "cookie-value");
    alice.enabled = false;
    db::Transaction transaction(world.database, db::Durability::full);
    REQUIRE(store::update_user(transaction, alice));
    transaction.commit();
    CHECK_FALSE(see(world, session_cookie(world, "cookie-value")).session);
}

TEST_CASE(
    "start_session: a new value each time, the old one dead, the inner id kept for the same user only [CWE-384]") {
    test::World world;
    auto context = world.context();
    const auto alice = world.add_user("alice");
    const auto bob = world.add_user("bob");
    const auto start = [&](const web::Browser& browser, const model::Subject& subject) {
        db::Transaction transaction(world.database, db::Durability::full);
        auto started = web::start_session(context, transaction, browser, subject, world.clock.now());
        transaction.commit();
        return started.cookie;
    };
    const std::string first = start(web::Browser{}, alice.subject);
    const auto before = see(world, session_cookie(world, first));
    world.clock.advance(util::Seconds{10});
    const std::string second = start(before, alice.subject);
    CHECK(second != first);
    CHECK_FALSE(see(world, session_cookie(world, first)).session);
    const auto after = see(world, session_cookie(world, second));
    REQUIRE(after.session);
    CHECK(after.session->sid == before.session->sid);
    CHECK(after.session->auth_time == before.session->auth_time + util::Seconds{10});

    const auto bobs = see(world, session_cookie(world, start(after, bob.subject)));
    REQUIRE(bobs.session);
    CHECK(bobs.session->sid != after.session->sid);
    CHECK_FALSE(see(world, session_cookie(world, second)).session);
}
