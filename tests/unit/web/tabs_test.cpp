// Several tabs that start at the same moment in a browser that has no cookie of ours yet.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "crypto/password.h"
#include "db/write.h"
#include "factor/totp.h"
#include "store/factors.h"
#include "store/users.h"
#include "unit/text/said.h"
#include "unit/web/page_flow.h"
#include "web/account/app_setup.h"
#include "web/authorization.h"
#include "web/consent.h"
#include "web/login.h"
#include "web/logout.h"

using namespace postern;
using test::location_parameter;
using test::place_of;
using test::refusal_of;

namespace {

using Cookies = std::map<std::string, std::string>;

struct Fixture : test::PageFlow {
    model::User alice = fixture.add_user("alice");
    Fixture() { fixture.settings.oidc = true; }

    struct Tab {
        http::Response answer;
        Cookies cookies;  ///< that its answer plants
    };
    /// The answers of requests that were all sent with the cookies of now. None has arrived.
    std::vector<Tab> start(int count, const Handler& handler, const std::map<std::string, std::string>& query) {
        const Cookies sent = cookies;
        std::vector<Tab> tabs;
        for (int i = 0; i < count; ++i) {
            cookies = sent;
            tabs.push_back({visit(handler, query), {}});
            for (const auto& [name, value] : cookies)
                if (!sent.contains(name)) tabs.back().cookies[name] = value;
        }
        cookies = sent;
        return tabs;
    }
    void arrives(const Tab& tab) {
        for (const auto& [name, value] : tab.cookies) cookies[name] = value;
    }
};

enum class Order { first_tab_first, last_tab_first };

void arrive(Fixture& f, const std::vector<Fixture::Tab>& tabs, Order order) {
    if (order == Order::first_tab_first)
        for (auto tab = tabs.begin(); tab != tabs.end(); ++tab) f.arrives(*tab);
    else
        for (auto tab = tabs.rbegin(); tab != tabs.rend(); ++tab) f.arrives(*tab);
}

}  // namespace

TEST_CASE("tabs: all that start at once get their form and go on with it, in whichever order answers arrive [A20]") {
    for (const int count : {2, 6, 10, 20})
        for (const Order order : {Order::first_tab_first, Order::last_tab_first}) {
            CAPTURE(count);
            CAPTURE(int(order));
            Fixture f;
            const auto tabs = f.start(count, web::start_authorization, f.request());
            arrive(f, tabs, order);
            CHECK(f.cookies.size() == static_cast<std::size_t>(count));
            for (const auto& tab : tabs) {
                CHECK(f.follow(web::show_login, tab.answer).body == "login");
                const auto again = f.follow(web::resume_authorization, tab.answer);
                CHECK(place_of(again) == "https://op.example/login");
                CHECK(f.follow(web::show_login, again).body == "login");
            }
        }
}

TEST_CASE("tabs: a form whose answer has arrived is good before and after those of the other tabs arrive [A20, L05]") {
    Fixture f;
    const auto tabs = f.start(3, web::start_authorization, f.request());
    f.arrives(tabs[1]);
    f.follow(web::show_login, tabs[1].answer);
    std::map<std::string, std::string> form = {{"resume", f.pages.last_login.resume},
                                               {"csrf", f.pages.last_login.csrf}};
    const auto press = [&] {
        auto typed = form;
        typed["username"] = "alice";  // there is no password: the form is taken, and refused for that
        typed["password"] = "wrong";
        return refusal_of(f.submit(web::submit_login, typed));
    };
    CHECK(press() == "login_failed");
    f.arrives(tabs[2]);
    CHECK(press() == "login_failed");
    f.arrives(tabs[0]);
    CHECK(press() == "login_failed");
    form["csrf"] = f.pages.last_login.csrf;  // of the form that was shown again
    CHECK(press() == "login_failed");
    // None of this is worth anything in another browser with as many cookies.
    f.cookies.clear();
    arrive(f, f.start(3, web::start_authorization, f.request()), Order::first_tab_first);
    CHECK(press() == "other_browser");
}

TEST_CASE("tabs: second steps of one browser that are open at once each go on, with a code each [A20, STEP-7]") {
    Fixture f;
    const util::Secret key("12345678901234567890");
    oauth::Context context = f.fixture.context();
    db::write(f.fixture.database, db::Durability::full, [&](db::Transaction& transaction) {
        store::set_password_hash(transaction, f.alice.subject, crypto::hash_password(util::Secret("correct horse")),
                                 context.now());
        store::replace_totp(
            transaction, f.alice.subject,
            factor::seal_totp_secret(context.keys.factor_key(), f.alice.subject, context.now(), key, context.random), 0,
            context.now());
        transaction.commit();
    });
    const auto tabs = f.start(2, web::start_authorization, f.request());
    arrive(f, tabs, Order::last_tab_first);
    std::vector<pages::SecondStepPage> steps;
    for (const auto& tab : tabs) {
        REQUIRE(f.follow(web::show_login, tab.answer).body == "login");
        const auto& page = f.pages.last_login;
        const auto half = f.submit(
            web::submit_login,
            {{"resume", page.resume}, {"csrf", page.csrf}, {"username", "alice"}, {"password", "correct horse"}});
        REQUIRE(f.follow(web::show_login, half).body == "second_step");
        steps.push_back(f.pages.last_second_step);
    }
    for (const auto& step : {steps[1], steps[0]}) {
        f.fixture.clock.advance(util::Seconds{30});
        const auto now = static_cast<std::uint64_t>(util::to_epoch(f.fixture.clock.now()));
        const auto done = f.submit(
            web::submit_login, {{"resume", step.resume}, {"csrf", step.csrf}, {"code", factor::hotp(key, now / 30)}});
        CHECK(place_of(f.follow(web::resume_authorization, done)) == "https://op.example/scopes");
    }
}

TEST_CASE("tabs: pages of a session that plant their cookies at once all take their forms [A20, L06]") {
    Fixture f;
    f.sign_in(f.alice, "of-alice");
    const auto tabs = f.start(6, web::start_authorization, f.request());
    arrive(f, tabs, Order::last_tab_first);
    for (const auto& tab : tabs) {
        REQUIRE(f.follow(web::show_consent, tab.answer).body == "consent");
        const auto& page = f.pages.last_consent;
        const auto decided =
            f.submit(web::submit_consent, {{"resume", page.resume}, {"csrf", page.csrf}, {"decision", "approve"}});
        CHECK(location_parameter(f.follow(web::resume_authorization, decided), "code") != "");
    }
}

TEST_CASE("tabs: two questions whether to sign out, and the form that was not answered last is good, too") {
    Fixture f;
    f.fixture.settings.paths.logout = "/logout";
    f.sign_in(f.alice, "of-alice");
    const Cookies signed_in = f.cookies;
    std::vector<std::map<std::string, std::string>> forms;
    Cookies all = signed_in;
    for (int i = 0; i < 2; ++i) {
        f.cookies = signed_in;
        REQUIRE(f.visit(web::start_logout, {}).body == "logout");
        const auto& page = f.pages.last_logout;
        forms.push_back({{"resume", page.resume}, {"csrf", page.csrf}, {"decision", "cancel"}});
        all.insert(f.cookies.begin(), f.cookies.end());
    }
    f.cookies = all;
    REQUIRE(f.cookies.size() == 3);
    for (const auto& form : forms) CHECK(f.submit(web::answer_logout, form).body == "still_logged_in");
}

TEST_CASE(
    "tabs: the key of an app is taken back from whichever page it was shown on, and from no other browser [TOTP-4]") {
    Fixture f;
    const auto tabs = f.start(2, web::start_authorization, f.request());
    struct Row {
        const char* when;
        std::vector<int> arrived;  ///< of the tabs, when the code is typed; the page was of the second
        bool is_known;
    };
    const Row rows[] = {{"the same cookie", {1}, true},
                        {"another tab's as well", {0, 1}, true},
                        {"another tab's alone", {0}, false},
                        {"none", {}, false}};
    oauth::Context context = f.fixture.context();
    const auto browser = [&](const std::vector<int>& arrived) {
        f.cookies.clear();
        for (const int tab : arrived) f.arrives(tabs[static_cast<std::size_t>(tab)]);
        http::Request request = test::get("");
        for (const auto& [name, value] : f.cookies) request.cookie += name + "=" + value + "; ";
        return request;
    };
    const http::Request showing = browser({1});
    web::Interaction shown(context, f.book, showing);
    const std::string sealed = web::new_app_key(shown, f.alice.subject).sealed;
    for (const Row& row : rows) {
        CAPTURE(row.when);
        http::Request typing = browser(row.arrived);
        typing.form = test::post(test::form_of({{"app", sealed}, {"code", "000000"}})).form;
        web::Interaction typed(context, f.book, typing);
        const auto proved = web::prove_new_app(typed, f.alice.subject);
        REQUIRE_FALSE(bool(proved));
        // With the right page it is the code that is wrong, and the key stays.
        CHECK((proved.error().key.sealed == sealed) == row.is_known);
    }
}
