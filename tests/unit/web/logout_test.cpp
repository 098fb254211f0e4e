// The logout endpoint: whom it asks, whom it signs out, and where it leads.
#include "web/logout.h"

#include "oauth/settings.h"
#include "unit/web/page_flow.h"

using namespace postern;
using test::place_of;
using test::refusal_of;

namespace {

struct Fixture : test::PageFlow {
    model::User alice = fixture.add_user("alice");
    Fixture() {
        fixture.settings.paths.logout = "/logout";
        sign_in(alice, "of-alice");
    }
    bool is_signed_in() {
        http::Request request = test::get("");
        for (const auto& [name, value] : cookies) request.cookie += name + "=" + value + "; ";
        oauth::Context context = fixture.context();
        return login::recognise(context, request).session.has_value();
    }
    http::Response ask() { return visit(web::start_logout, {}); }
    std::map<std::string, std::string> answer(const std::string& decision) {
        return {{"resume", pages.last_logout.resume}, {"csrf", pages.last_logout.csrf}, {"decision", decision}};
    }
};

}  // namespace

TEST_CASE("start_logout: without a hint the user is asked, and nothing has ended") {
    Fixture f;
    CHECK(f.ask().body == "logout");
    CHECK(f.pages.last_logout.username == "alice");
    CHECK(f.pages.last_logout.client_name == "");
    CHECK(f.pages.last_logout.action == "https://op.example/logout");
    CHECK(f.is_signed_in());
}

TEST_CASE("start_logout: a bare client_id does not name the client on the page") {
    Fixture f;
    CHECK(f.visit(web::start_logout, {{"client_id", "app"}}).body == "logout");
    CHECK(f.pages.last_logout.client_name == "");
}

TEST_CASE("answer_logout: yes ends the session and clears the cookie, no leaves everything") {
    Fixture f;
    f.ask();
    const auto kept = f.cookies;
    CHECK(f.submit(web::answer_logout, f.answer("cancel")).body == "still_logged_in");
    CHECK(f.is_signed_in());
    const auto answer = f.submit(web::answer_logout, f.answer("logout"));
    CHECK(answer.body == "logged_out");
    REQUIRE(answer.find("Clear-Site-Data"));
    CHECK(f.cookies.count(login::cookie_names(f.fixture.settings).session) == 0);
    f.cookies = kept;
    CHECK_FALSE(f.is_signed_in());
}

TEST_CASE("answer_logout: only the form of this browser and session, with a decision [L06, RP-Initiated Logout §2o]") {
    struct Row {
        const char* when;
        void (*change)(Fixture&, std::map<std::string, std::string>&);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"no decision", [](Fixture&, auto& form) { form.erase("decision"); }, "logout_malformed"},
        {"another word", [](Fixture&, auto& form) { form["decision"] = "yes"; }, "logout_malformed"},
        {"no csrf field", [](Fixture&, auto& form) { form.erase("csrf"); }, "logout_form_foreign"},
        {"another user signed in meanwhile", [](Fixture& f, auto&) { f.sign_in(f.fixture.add_user("bob"), "of-bob"); }, "logout_form_foreign"},
        {"no request", [](Fixture&, auto& form) { form.erase("resume"); }, "logout_resume_invalid"},
        {"a cut request", [](Fixture&, auto& form) { form["resume"].pop_back(); }, "logout_resume_invalid"},
        {"another browser", [](Fixture& f, auto&) { std::erase_if(f.cookies, [&](const auto& cookie) { return cookie.first.starts_with(login::cookie_names(f.fixture.settings).browser); }); }, "logout_form_foreign"},
    };
    // clang-format on
    for (const auto& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.ask();
        auto form = f.answer("logout");
        row.change(f, form);
        const auto answer = f.submit(web::answer_logout, form);
        CHECK(answer.body == "error");
        CHECK(refusal_of(answer) == row.refusal);
        CHECK(f.pages.last_error.sign_out == "https://op.example/logout");
        CHECK(f.is_signed_in());
    }
}

TEST_CASE("resume_logout: a request that cannot be taken up leaves the way to sign out [RP-Initiated Logout §4c]") {
    struct Row {
        const char* when;
        http::Response (*open)(Fixture&, const http::Response& posted);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"forged", [](Fixture& f, const auto&) { return f.visit(web::resume_logout, {{"resume", "x"}}); }, "logout_resume_invalid"},
        {"none", [](Fixture& f, const auto&) { return f.visit(web::resume_logout, {}); }, "logout_resume_invalid"},
        {"expired", [](Fixture& f, const auto& posted) { f.fixture.clock.advance(util::Seconds{600}); return f.follow(web::resume_logout, posted); }, "logout_resume_expired"},
        {"of another browser", [](Fixture& f, const auto&) { f.ask(); const auto asked = f.pages.last_logout.resume; std::erase_if(f.cookies, [&](const auto& cookie) { return cookie.first.starts_with(login::cookie_names(f.fixture.settings).browser); }); return f.visit(web::resume_logout, {{"resume", asked}}); }, "logout_form_foreign"},
        {"a hint of JavaScript", [](Fixture& f, const auto&) { return f.visit(web::start_logout, {{"id_token_hint", "undefined"}}); }, "logout_hint_invalid"},
        {"a state beyond every bound", [](Fixture& f, const auto&) { return f.submit(web::start_logout, {{"state", std::string(5000, 's')}}); }, "logout_malformed"},
    };
    // clang-format on
    for (const auto& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        const auto answer = row.open(f, f.submit(web::start_logout, {}));
        CHECK(refusal_of(answer) == row.refusal);
        CHECK(f.pages.last_error.sign_out == "https://op.example/logout");
        CHECK(f.is_signed_in());
    }
}

TEST_CASE("start_logout: a client_id with its address is followed when the user has confirmed it, and not before") {
    Fixture f;
    model::Client app = f.client;
    app.id = model::ClientId("leaving");
    app.name = "Leaving";
    app.post_logout_redirect_uris = {"https://app.example/bye"};
    f.fixture.add(app);
    const std::map<std::string, std::string> asked{
        {"client_id", "leaving"}, {"post_logout_redirect_uri", "https://app.example/bye"}, {"state", "s"}};
    const auto visitor = f.cookies;
    CHECK(f.visit(web::start_logout, asked).body == "logout");
    CHECK(f.pages.last_logout.leads_to == "Leaving");
    CHECK(f.pages.last_logout.client_name == "");
    CHECK(f.submit(web::answer_logout, f.answer("cancel")).body == "still_logged_in");
    const auto left = f.submit(web::answer_logout, f.answer("logout"));
    CHECK(left.status == 303);
    REQUIRE(left.find("Location"));
    CHECK(*left.find("Location") == "https://app.example/bye?state=s");
    // The session has gone: no question, so no confirmation. The user may follow the link.
    f.cookies = visitor;
    const auto stayed = f.visit(web::start_logout, asked);
    CHECK(stayed.body == "logged_out");
    CHECK(f.pages.last_logged_out.back == "https://app.example/bye?state=s");
    CHECK(f.pages.last_logged_out.client_name == "Leaving");
    CHECK(refusal_of(stayed) == "logout_unconfirmed");
    f.visit(web::start_logout, {{"post_logout_redirect_uri", "https://app.example/bye"}});
    CHECK(f.pages.last_logged_out.back == "");
}

TEST_CASE("start_logout: an address that is not registered is refused before anything ends, by GET and by POST") {
    const std::map<std::string, std::string> asked{{"client_id", "app"},
                                                   {"post_logout_redirect_uri", "https://evil.example/"}};
    Fixture f;
    CHECK(refusal_of(f.visit(web::start_logout, asked)) == "logout_redirect_unregistered");
    CHECK(f.pages.last_error.sign_out == "https://op.example/logout");
    CHECK(refusal_of(f.submit(web::start_logout, asked)) == "logout_redirect_unregistered");
    CHECK(f.is_signed_in());
}

TEST_CASE("resume_logout: a posted request is asked about in the browser that follows") {
    Fixture f;
    const auto posted = f.submit(web::start_logout, {{"client_id", "app"}});
    CHECK(posted.status == 303);
    CHECK(place_of(posted) == "https://op.example/logout");
    CHECK(f.follow(web::resume_logout, posted).body == "logout");
    CHECK(f.is_signed_in());
}

TEST_CASE("start_logout: without a session there is nothing to ask") {
    Fixture f;
    f.cookies.clear();
    const auto answer = f.ask();
    CHECK(answer.body == "logged_out");
    CHECK_FALSE(answer.find("Clear-Site-Data"));
}

TEST_CASE("answer_logout: no is never taken for yes, also when the session has ended meanwhile") {
    Fixture f;
    f.fixture.settings.login.logout_redirect = "https://sso.example/logout?to={return}";
    model::Client app = f.client;
    app.id = model::ClientId("leaving");
    app.name = "Leaving";
    app.post_logout_redirect_uris = {"https://app.example/bye"};
    f.fixture.add(app);
    f.visit(web::start_logout, {{"client_id", "leaving"}, {"post_logout_redirect_uri", "https://app.example/bye"}});
    f.cookies.erase(login::cookie_names(f.fixture.settings).session);
    const auto stayed = f.submit(web::answer_logout, f.answer("cancel"));
    CHECK(stayed.body == "logged_out");
    CHECK_FALSE(stayed.find("Location"));
    CHECK(f.pages.last_logged_out.back == "https://app.example/bye");
    CHECK(f.submit(web::answer_logout, f.answer("logout")).find("Location"));
    f.fixture.settings.login.method = login::Method::remote_user;
    CHECK(f.submit(web::answer_logout, f.answer("cancel")).body == "logged_out");
}

TEST_CASE("start_logout: no state makes the address of the web server's own logout too long to be sent") {
    Fixture f;
    f.fixture.settings.login.method = login::Method::remote_user;
    f.fixture.settings.login.logout_redirect = "https://sso.example/logout?to={return}";
    model::Client app = f.client;
    app.id = model::ClientId("leaving");
    app.post_logout_redirect_uris = {"https://app.example/bye"};
    f.fixture.add(app);
    for (const std::size_t size : {1500, 2600}) {
        CAPTURE(size);
        f.sign_in(f.alice, "of-alice-" + std::to_string(size));
        auto answer = f.visit(web::start_logout, {{"client_id", "leaving"},
                                                  {"post_logout_redirect_uri", "https://app.example/bye"},
                                                  {"state", std::string(size, '"')}});
        if (answer.body == "logout") answer = f.submit(web::answer_logout, f.answer("logout"));
        const std::string* sent = answer.find("Location");
        CHECK((size == 1500) == (sent != nullptr));
        CHECK((sent == nullptr || sent->size() <= oauth::kMaxAnswerBytes));
        CHECK((sent != nullptr || refusal_of(answer) == "logout_malformed"));
    }
}
