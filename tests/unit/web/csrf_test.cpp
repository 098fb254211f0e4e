// Forms of ours, and forms that only look like them (RFC 9700 §4.7).
#include "web/csrf.h"

#include <doctest/doctest.h>

#include "support/rules_fixture.h"

using namespace postern;
using web::Form;

namespace {

struct Fixture {
    test::RulesFixture fixture;
    oauth::Context context = fixture.context();
    std::string asked = "request";
    login::Browser browser;
    Fixture() {
        browser.id = "browser";
        browser.session = fixture.add_session(fixture.add_user("alice"), "cookie");
    }
    bool accepts(Form form, const std::string& token, std::optional<std::string> site = std::nullopt) {
        http::Request request = test::post("csrf=" + token);
        request.sec_fetch_site = std::move(site);
        return !web::find_form_fault(context, form, browser, asked, request);
    }
};

}  // namespace

TEST_CASE(
    "find_form_fault: the token of this form, browser, request and session, and no other [IF110, RFC 6749 §10.12a, OIDC "
    "Core §3.1.2.3c, L06]") {
    Fixture f;
    const std::string consent = web::csrf_token(f.context, Form::consent, f.browser, f.asked);
    const std::string login = web::csrf_token(f.context, Form::login, f.browser, f.asked);
    const std::string logout = web::csrf_token(f.context, Form::logout, f.browser, f.asked);
    CHECK(f.accepts(Form::consent, consent));
    CHECK(f.accepts(Form::login, login));
    CHECK(f.accepts(Form::logout, logout));
    CHECK_FALSE(f.accepts(Form::consent, login));
    CHECK_FALSE(f.accepts(Form::login, consent));
    CHECK_FALSE(f.accepts(Form::logout, consent));
    CHECK_FALSE(f.accepts(Form::logout, login));
    CHECK_FALSE(f.accepts(Form::consent, logout));
    CHECK_FALSE(f.accepts(Form::consent, ""));
    CHECK_FALSE(f.accepts(Form::consent, consent.substr(1)));

    f.asked = "another request";
    CHECK_FALSE(f.accepts(Form::consent, consent));
    CHECK_FALSE(f.accepts(Form::login, login));
    CHECK_FALSE(f.accepts(Form::logout, logout));
    f.asked = "request";
    f.browser.id = "another browser";
    CHECK_FALSE(f.accepts(Form::consent, consent));
    CHECK_FALSE(f.accepts(Form::login, login));
    f.browser.id = "browser";
    f.browser.session->cookie_hash = model::ValueHash("of a new cookie");  // the same user has signed in again
    CHECK(f.accepts(Form::consent, consent));
    f.browser.session = f.fixture.add_session(f.fixture.add_user("bob"), "bobs cookie");
    CHECK_FALSE(f.accepts(Form::consent, consent));
    CHECK_FALSE(f.accepts(Form::logout, logout));
    CHECK(f.accepts(Form::login, login));
    f.browser.session.reset();
    CHECK_FALSE(f.accepts(Form::consent, consent));
    CHECK_FALSE(f.accepts(Form::logout, logout));
}

TEST_CASE("find_form_fault: the form of a link is of this browser and this link, and of no session [LINK-3]") {
    Fixture f;
    f.asked = "digest of a link";
    const std::string link = web::csrf_token(f.context, Form::link, f.browser, f.asked);
    CHECK(f.accepts(Form::link, link));
    CHECK_FALSE(f.accepts(Form::login, link));
    CHECK_FALSE(f.accepts(Form::account, link));
    CHECK_FALSE(f.accepts(Form::link, web::csrf_token(f.context, Form::login, f.browser, f.asked)));
    f.browser.session.reset();
    CHECK(f.accepts(Form::link, link));
    f.asked = "digest of another link";
    CHECK_FALSE(f.accepts(Form::link, link));
    f.asked = "digest of a link";
    f.browser.id = "another browser";
    CHECK_FALSE(f.accepts(Form::link, link));
    f.browser.id.reset();
    CHECK_FALSE(f.accepts(Form::link, link));
}

TEST_CASE("find_form_fault: a form made for any id of the browser is its own, and new ones are for the first [L05]") {
    Fixture f;
    const std::string first = web::csrf_token(f.context, Form::login, f.browser, f.asked);
    f.browser.id = "of another tab";
    const std::string second = web::csrf_token(f.context, Form::login, f.browser, f.asked);
    const login::BrowserCookie other{"name", "browser", f.fixture.clock.now()};
    CHECK_FALSE(f.accepts(Form::login, first));
    f.browser.later = {other};
    CHECK(web::csrf_token(f.context, Form::login, f.browser, f.asked) == second);
    CHECK(f.accepts(Form::login, first));
    CHECK(f.accepts(Form::login, second));
    CHECK_FALSE(f.accepts(Form::consent, first));
    f.browser.later = {{"name", "a third", f.fixture.clock.now()}};
    CHECK_FALSE(f.accepts(Form::login, first));
}

TEST_CASE("find_form_fault: a browser without an id has no form of its own, not even one for no browser [L05]") {
    Fixture f;
    f.browser.id.reset();
    CHECK_FALSE(f.accepts(Form::login, web::csrf_token(f.context, Form::login, f.browser, f.asked)));
}

TEST_CASE("find_form_fault: Sec-Fetch-Site must say same-origin when it is there") {
    Fixture f;
    const std::string token = web::csrf_token(f.context, Form::login, f.browser, f.asked);
    CHECK(f.accepts(Form::login, token, "same-origin"));
    for (const char* site : {"cross-site", "same-site", "none", ""}) {
        CAPTURE(site);
        CHECK_FALSE(f.accepts(Form::login, token, site));
    }
}
