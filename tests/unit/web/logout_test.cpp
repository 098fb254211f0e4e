// The logout endpoint: whom it asks, whom it signs out, and where it leads.
#include "web/logout.h"

#include "oauth/settings.h"
#include "oidc/id_token.h"
#include "store/clients.h"
#include "store/session_clients.h"
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

namespace {

/// Alice is signed in at applications that want to be told in frames.
struct FrameFixture : Fixture {
    FrameFixture() { fixture.settings.frontchannel_logout = true; }

    void add_told(const std::string& id, const std::string& uri,
                  const std::function<void(model::Client&)>& change = {}) {
        model::Client told = client;
        told.id = model::ClientId(id);
        told.name = id;
        told.secrets.clear();
        told.post_logout_redirect_uris = {"https://" + id + ".example/bye"};
        told.logout.frontchannel = uri;
        if (change) change(told);
        fixture.add(told);
        note(id);
    }
    /// An ID token of this session is issued to the client now.
    void note(const std::string& id) {
        fixture.clock.advance(util::Seconds{1});
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        REQUIRE(store::note_session_client(transaction, alice.subject, session().sid, model::ClientId(id),
                                           fixture.clock.now()));
        transaction.commit();
    }
    model::Session session() {
        http::Request request = test::get("");
        for (const auto& [name, value] : cookies) request.cookie += name + "=" + value + "; ";
        oauth::Context context = fixture.context();
        return login::recognise(context, request).session.value();
    }
    std::string added() { return "iss=https%3A%2F%2Fop.example&sid=" + util::percent_encode(session().sid.str()); }
    std::string hint(const std::string& id) {
        model::Grant grant;
        grant.client_id = model::ClientId(id);
        grant.subject = alice.subject;
        oauth::Context context = fixture.context();
        return oidc::make_id_token(context, crypto::Algorithm::RS256, {grant, std::nullopt, "access"});
    }
    /// What an application asks for with an ID token of Alice, whom nothing is asked then.
    std::map<std::string, std::string> request_of(const std::string& id) {
        return {{"id_token_hint", hint(id)},
                {"post_logout_redirect_uri", "https://" + id + ".example/bye"},
                {"state", "s;'1'"}};
    }
    const oidc::LogoutFrames& shown() const { return pages.last_logged_out.frames; }
};

using Urls = std::vector<std::string>;

}  // namespace

TEST_CASE(
    "start_logout: with a hint the page has the frames, and goes on to the address [FCL-1, FCL-3, Front-Channel Logout §3a, §4]") {
    FrameFixture f;
    f.add_told("asking", "https://asking.example/out?a=1");
    f.add_told("second", "https://second.example/out");
    const std::string added = f.added();
    const auto answer = f.visit(web::start_logout, f.request_of("asking"));
    CHECK(answer.status == 200);
    CHECK(answer.body == "logged_out");
    CHECK_FALSE(answer.find("Location"));
    CHECK(f.shown().urls == Urls{"https://second.example/out?" + added, "https://asking.example/out?a=1&" + added});
    CHECK(f.shown().sources == Urls{"https://second.example", "https://asking.example"});
    CHECK(f.pages.last_logged_out.goes_on);
    CHECK(f.pages.last_logged_out.back == "https://asking.example/bye?state=s%3B%271%27");
    CHECK(f.pages.last_logged_out.client_name == "asking");
    CHECK(answer.find("Clear-Site-Data"));
    CHECK_FALSE(f.is_signed_in());
    // The session is gone: the same request, sent again, finds nobody to tell.
    const auto again = f.visit(web::start_logout, f.request_of("asking"));
    CHECK(again.status == 303);
    CHECK(*again.find("Location") == "https://asking.example/bye?state=s%3B%271%27");
}

TEST_CASE("answer_logout: frames come with the user's yes, and with nothing before it [FCL-1, FCL-3]") {
    FrameFixture f;
    f.add_told("told", "https://told.example/out");
    CHECK(f.ask().body == "logout");
    CHECK(f.submit(web::answer_logout, f.answer("cancel")).body == "still_logged_in");
    CHECK(f.submit(web::answer_logout, f.answer("logout")).body == "logged_out");
    CHECK(f.shown().urls.size() == 1);
    CHECK_FALSE(f.pages.last_logged_out.goes_on);
    CHECK(f.pages.last_logged_out.back == "");

    f.sign_in(f.alice, "again");
    f.note("told");
    f.visit(web::start_logout, {{"client_id", "told"}, {"post_logout_redirect_uri", "https://told.example/bye"}});
    f.submit(web::answer_logout, f.answer("logout"));
    CHECK(f.shown().urls.size() == 1);
    CHECK(f.pages.last_logged_out.goes_on);
    CHECK(f.pages.last_logged_out.back == "https://told.example/bye");
}

TEST_CASE("start_logout: a session whose applications need no frame gets the redirect at once [FCL-1, FCL-3]") {
    struct Row {
        const char* when;
        void (*prepare)(FrameFixture&);
        std::size_t frames;
    };
    const Row rows[] = {
        {"no application", [](FrameFixture&) {}, 0},
        {"one that is told in another way",
         [](FrameFixture& f) {
             f.add_told("back", "", [](model::Client& c) { c.logout.backchannel = "https://back.example/out"; });
         },
         0},
        {"one that is disabled",
         [](FrameFixture& f) {
             f.add_told("told", "https://told.example/", [](model::Client& c) { c.enabled = false; });
         },
         0},
        {"one that registered itself while strangers could",
         [](FrameFixture& f) {
             f.add_told("told", "https://told.example/", [](model::Client& c) { c.origin = model::Origin::dynamic; });
         },
         0},
        {"one that has lost its address",
         [](FrameFixture& f) {
             f.add_told("told", "https://told.example/");
             model::Client changed = *store::find_client(f.fixture.database, model::ClientId("told"));
             changed.logout = {};
             db::Transaction transaction(f.fixture.database, db::Durability::full);
             store::update_client(transaction, changed);
             transaction.commit();
         },
         0},
        {"one that is removed",
         [](FrameFixture& f) {
             f.add_told("told", "https://told.example/");
             db::Transaction transaction(f.fixture.database, db::Durability::full);
             store::remove_client(transaction, model::ClientId("told"));
             transaction.commit();
         },
         0},
        {"the feature is off",
         [](FrameFixture& f) {
             f.add_told("told", "https://told.example/");
             f.fixture.settings.frontchannel_logout = false;
         },
         0},
        {"one of another session of the user",
         [](FrameFixture& f) {
             f.add_told("told", "https://told.example/");
             f.sign_in(f.alice, "another");
         },
         0},
        {"one beside a disabled one",
         [](FrameFixture& f) {
             f.add_told("told", "https://told.example/");
             f.add_told("off", "https://off.example/", [](model::Client& c) { c.enabled = false; });
         },
         1},
        {"one without sid in its registration",
         [](FrameFixture& f) {
             f.add_told("told", "https://told.example/",
                        [](model::Client& c) { c.logout.frontchannel_session_required = false; });
         },
         1},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        FrameFixture f;
        f.add_told("leaving", "");
        row.prepare(f);
        const auto answer = f.visit(web::start_logout, f.request_of("leaving"));
        CHECK(answer.status == (row.frames == 0 ? 303 : 200));
        CHECK(f.shown().urls.size() == row.frames);
        CHECK(f.pages.last_logged_out.goes_on == (row.frames > 0));
        CHECK_FALSE(f.is_signed_in());
    }
}

TEST_CASE("start_logout: the twenty applications with the latest ID tokens have a frame [FCL-2]") {
    FrameFixture f;
    for (int i = 0; i < 22; ++i)
        f.add_told("app" + std::to_string(i), "https://app" + std::to_string(i) + ".example/out");
    f.note("app0");
    f.visit(web::start_logout, f.request_of("app5"));
    REQUIRE(f.shown().urls.size() == 20);
    CHECK(f.shown().urls.front().starts_with("https://app0.example/"));
    CHECK(f.shown().urls.back().starts_with("https://app3.example/"));
}

TEST_CASE("start_logout: frames come before the web server's own logout, to which the page goes on [FCL-3]") {
    FrameFixture f;
    f.add_told("told", "https://told.example/out");
    f.fixture.settings.login.method = login::Method::remote_user;
    f.fixture.settings.login.logout_redirect = "https://sso.example/logout?to={return}";
    CHECK(f.visit(web::start_logout, f.request_of("told")).body == "logged_out");
    CHECK(f.shown().urls.size() == 1);
    CHECK(f.pages.last_logged_out.goes_on);
    CHECK(f.pages.last_logged_out.client_name == "");
    CHECK(f.pages.last_logged_out.back ==
          "https://sso.example/logout?to=https%3A%2F%2Ftold.example%2Fbye%3Fstate%3Ds%253B%25271%2527");
}
