// Cookies and what they prove, and the labels of browsers.
#include "login/browser.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "login/complete.h"
#include "store/sessions.h"
#include "store/users.h"
#include "support/rules_fixture.h"

using namespace postern;
using login::agent_label;

namespace {

const std::string kPlain = "__Host-postern-browser-0123abcd";

std::string session_cookie(const test::RulesFixture& fixture, const std::string& value) {
    return login::cookie_names(fixture.settings).session + "=" + value;
}

login::Browser see(test::RulesFixture& fixture, const std::string& cookie) {
    auto context = fixture.context();
    http::Request request = test::get("");
    request.cookie = cookie;
    return login::recognise(context, request);
}

}  // namespace

TEST_CASE("cookie_names: one pair per issuer, __Host- on https only") {
    oauth::Settings settings;
    settings.issuer = "https://op.example";
    settings.cookie_tag = "0123abcd";
    const auto https = login::cookie_names(settings);
    CHECK(https.browser.starts_with("__Host-postern-browser-"));
    CHECK(https.session == "__Host-postern-0123abcd");
    CHECK(https.security == http::CookieSecurity::https);
    settings.issuer = "http://127.0.0.1:8080";
    const auto local = login::cookie_names(settings);
    CHECK(local.session.starts_with("postern-"));
    CHECK(local.security == http::CookieSecurity::loopback_http);
}

TEST_CASE("recognise: a request is of this browser when any of its cookies binds it, and of no other [A18, L05, L19]") {
    test::RulesFixture fixture;
    const std::string plain = login::cookie_names(fixture.settings).browser;
    const auto cookie = [&](int second, const std::string& value) {
        return login::browser_cookie_name(plain, value, util::from_epoch(second)) + "=" + value + "; ";
    };
    const auto cookies = [&](int from, int to) {
        std::string header;
        for (int i = from; i < to; ++i) header += cookie(1000 + i, "tab" + std::to_string(i));
        return header;
    };
    struct Row {
        const char* when;
        std::string header;
        std::string sealed_for;  ///< the id that the request was bound to; "" for none
        bool is_bound;
        std::string id;  ///< to which something new is bound
    };
    const Row rows[] = {
        {"its own cookie", cookie(1, "a"), "a", true, "a"},
        {"the plain one, as of earlier versions", plain + "=a", "a", true, "a"},
        {"of the tab whose answer came first", cookie(1, "a") + cookie(1, "b"), "a", true, ""},
        {"of the tab whose answer came last", cookie(1, "b") + cookie(1, "a"), "a", true, ""},
        {"of a later one", cookie(2, "b") + cookie(1, "a"), "b", true, "a"},
        {"of the plain one with a newer one", plain + "=a; " + cookie(2, "b"), "a", true, "b"},
        {"of the newer one with the plain one", plain + "=a; " + cookie(2, "b"), "b", true, "b"},
        {"of the tenth", cookies(0, 10), "tab9", true, "tab0"},
        {"of the last that counts", cookies(0, 20), "tab19", true, "tab0"},
        {"of the first that does not", cookies(0, 21), "tab20", false, "tab0"},
        {"no cookie", "", "a", false, ""},
        {"another browser's", cookie(1, "b"), "a", false, "b"},
        {"another browser's ten", cookies(0, 10), "a", false, "tab0"},
        {"bound to no browser", cookie(1, "a"), "", false, "a"},
        {"bound to no browser, no cookie", "", "", false, ""},
        {"its cookie twice, so that one may be planted", cookie(1, "a") + cookie(1, "a"), "a", false, ""},
        {"the session's cookie is no browser's", session_cookie(fixture, "a"), "a", false, ""},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        login::Browser sealed_for;
        if (!row.sealed_for.empty()) sealed_for.id = row.sealed_for;
        const login::Browser browser = see(fixture, row.header);
        CHECK(browser.is_bound_by(sealed_for.binding()) == row.is_bound);
        if (!row.id.empty()) CHECK(browser.id == row.id);
    }
}

TEST_CASE(
    "ensure_browser_id: answers of one moment plant cookies beside each other, an answer to a POST in one place") {
    test::RulesFixture fixture;
    auto context = fixture.context();
    const std::string plain = login::cookie_names(fixture.settings).browser;
    const auto planted_by = [&](http::Request request) {
        login::Browser browser = login::recognise_browser(fixture.settings, request);
        http::Response response;
        login::ensure_browser_id(context, browser, response);
        const std::string* line = response.find("Set-Cookie");
        REQUIRE(line);
        CHECK(line->ends_with("; Path=/; HttpOnly; SameSite=Lax; Secure"));
        CHECK(line->find("=" + *browser.id + ";") != std::string::npos);
        return line->substr(0, line->find('='));
    };
    const std::string first = planted_by(test::get(""));
    CHECK(first.starts_with(plain + "-"));
    CHECK(planted_by(test::get("")) != first);
    // Another site can have a form of its own posted as often as it likes, without our cookies.
    CHECK(planted_by(test::post("")) == plain);
    CHECK(planted_by(test::post("")) == plain);
}

TEST_CASE("ensure_browser_id: cookies that no open page can need are ended, and the first stays") {
    test::RulesFixture fixture;
    fixture.settings.authorization_request_ttl = util::Seconds{600};
    auto context = fixture.context();
    const std::string plain = login::cookie_names(fixture.settings).browser;
    const util::Time now = context.now();
    constexpr util::Seconds kLife{600 + 86400};
    const auto name = [&](util::Time planted, int tab) {
        return login::browser_cookie_name(plain, "tab" + std::to_string(tab), planted);
    };
    const auto ended_by = [&](const std::vector<std::string>& names) {
        http::Request request = test::get("");
        int tab = 0;
        for (const std::string& each : names) request.cookie += each + "=tab" + std::to_string(tab++) + "; ";
        login::Browser browser = login::recognise_browser(fixture.settings, request);
        const auto id = browser.id;
        http::Response response;
        login::ensure_browser_id(context, browser, response);
        CHECK(browser.id == id);
        std::vector<std::string> ended;
        for (const auto& [header, value] : response.headers) {
            CHECK(header == "Set-Cookie");
            CHECK(value.ends_with("=; Path=/; HttpOnly; SameSite=Lax; Secure; Max-Age=0"));
            ended.push_back(value.substr(0, value.find('=')));
        }
        CHECK(browser.ids().size() + ended.size() == names.size());
        return ended;
    };
    using Names = std::vector<std::string>;
    CHECK(ended_by({name(now, 0), name(now, 1)}) == Names{});
    CHECK(ended_by({name(now - 2 * kLife, 0)}) == Names{});
    CHECK(ended_by({name(now - 2 * kLife, 0), name(now - kLife, 1)}) == Names{name(now - kLife, 1)});
    CHECK(ended_by({name(now - 2 * kLife, 0), name(now - kLife + util::Seconds{1}, 1)}) == Names{});
    CHECK(ended_by({name(now - 2 * kLife, 0), name(now - kLife, 1), name(now, 2)}) == Names{name(now - kLife, 1)});
    CHECK(ended_by({plain, name(now, 1)}) == Names{});
    Names many;
    for (int tab = 0; tab < 22; ++tab) many.push_back(name(now + util::Seconds{tab}, tab));
    CHECK(ended_by(many) == Names{many[20], many[21]});
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

TEST_CASE("recognise: a lower sessionTTL ends sessions of before, and a higher one lengthens none [L04]") {
    struct Row {
        util::Seconds ttl;  ///< at the look; the session began with 1000
        util::Seconds age;
        bool counts;
    };
    const Row rows[] = {
        {util::Seconds{1000}, util::Seconds{999}, true}, {util::Seconds{1000}, util::Seconds{1000}, false},
        {util::Seconds{600}, util::Seconds{599}, true},  {util::Seconds{600}, util::Seconds{600}, false},
        {util::Seconds{9000}, util::Seconds{999}, true}, {util::Seconds{9000}, util::Seconds{1000}, false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.ttl.count());
        CAPTURE(row.age.count());
        test::RulesFixture fixture;
        fixture.settings.session_ttl = util::Seconds{1000};
        fixture.add_session(fixture.add_user("alice"), "cookie-value");
        fixture.settings.session_ttl = row.ttl;
        fixture.clock.advance(row.age);
        CHECK(see(fixture, session_cookie(fixture, "cookie-value")).session.has_value() == row.counts);
    }
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
    const auto start = [&](const login::Browser& browser, const model::Subject& subject) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        auto started =
            login::start_session(context, transaction, browser, subject, fixture.clock.now(), model::by_password());
        transaction.commit();
        return started.cookie;
    };
    const std::string first = start(login::Browser{}, alice.subject);
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

TEST_CASE("browser_cookie_name: two values of one second have two names, which say the second") {
    const util::Time now = util::from_epoch(1764196000);
    const std::string first = login::browser_cookie_name(kPlain, "value", now);
    CHECK(first.starts_with(kPlain + "-1764196000-"));
    CHECK(first != login::browser_cookie_name(kPlain, "another", now));
    CHECK(login::browser_cookie_name(kPlain, "value", util::from_epoch(7)).starts_with(kPlain + "-0000000007-"));
    const auto found = login::find_browser_cookies(first + "=value", kPlain);
    REQUIRE(found.size() == 1);
    CHECK(found[0].name == first);
    CHECK(found[0].value == "value");
    CHECK(found[0].planted_at == now);
}

TEST_CASE(
    "find_browser_cookies: by name alone, the oldest first and the plain name last, in whatever order they come") {
    struct Row {
        const char* when;
        std::string header;
        std::vector<std::string> values;
    };
    const auto at = [](const char* end, const char* value) { return kPlain + end + "=" + value; };
    const std::string early = at("-0000000100-00ff00ff", "early");
    const std::string late = at("-0000000200-00000000", "late");
    const Row rows[] = {
        {"none", "a=b", {}},
        {"the plain name, as of earlier versions", at("", "plain"), {"plain"}},
        {"one", early, {"early"}},
        {"two of two answers", early + "; " + late, {"early", "late"}},
        {"in the other order", late + "; " + early, {"early", "late"}},
        {"with the plain one first", at("", "plain") + "; " + late + "; " + early, {"early", "late", "plain"}},
        {"another one of the same second", early + "; " + at("-0000000100-00ff00fe", "x"), {"x", "early"}},
        {"one name twice, which may be planted", early + "; " + late + "; " + early, {"late"}},
        {"the plain name twice", at("", "a") + "; " + at("", "b") + "; " + late, {"late"}},
        {"a value of other characters", at("-0000000100-00ff00ff", "a b") + "; " + late, {"late"}},
        {"an empty value", at("-0000000100-00ff00ff", "") + "; " + late, {"late"}},
        {"another issuer's tag", "__Host-postern-browser-0123abce-0000000100-00ff00ff=x", {}},
        {"a longer tag", at("0-0000000100-00ff00ff", "x"), {}},
        {"without the prefix of the name", early.substr(7), {}},
        {"no second", at("-00ff00ff", "x"), {}},
        {"a second of nine digits", at("-000000100-00ff00ff", "x"), {}},
        {"a second that is no number", at("-00000001+0-00ff00ff", "x"), {}},
        {"digits in upper case", at("-0000000100-00FF00FF", "x"), {}},
        {"a digit more", at("-0000000100-00ff00ff0", "x"), {}},
        {"another character between", at("_0000000100-00ff00ff", "x"), {}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        std::vector<std::string> values;
        for (const auto& cookie : login::find_browser_cookies(row.header, kPlain)) values.push_back(cookie.value);
        CHECK(values == row.values);
    }
}

TEST_CASE("agent_label: browsers and systems as their headers name them [ACCOUNT-8]") {
    struct Row {
        const char* header;
        const char* label;
    };
    // clang-format off
    const Row rows[] = {
        {"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0", "Firefox on Linux"},
        {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36", "Chrome on Windows"},
        {"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 Edg/126.0.2592.56", "Edge on Windows"},
        {"Mozilla/5.0 (Macintosh; Intel Mac OS X 14_5) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15", "Safari on macOS"},
        {"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1", "Safari on iPhone"},
        {"Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.6478.35 Mobile/15E148 Safari/604.1", "Chrome on iPad"},
        {"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/127.0 Mobile/15E148 Safari/605.1.15", "Firefox on iPhone"},
        {"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36", "Chrome on Android"},
        {"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36", "Samsung Internet on Android"},
        {"Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36", "Chrome on ChromeOS"},
        {"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36 OPR/111.0.0.0", "Opera on Linux"},
        {"Mozilla/5.0 (X11; FreeBSD amd64; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox on FreeBSD"},
        {"curl/7.88.1", ""},
        {"SomeApp (Linux)", "A browser on Linux"},
        {"", ""},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(row.header);
        CHECK(agent_label(row.header) == row.label);
    }
}

TEST_CASE("agent_label: no part of a header is ever shown [ACCOUNT-8]") {
    CHECK(agent_label("<script>alert(1)</script>Firefox/1 \xff\x01") == "Firefox");
}
