// The consent page, and the authorization endpoint around it: each step of one request.
#include "web/consent.h"

#include "store/clients.h"
#include "store/consents.h"
#include "unit/text/said.h"
#include "unit/web/page_flow.h"
#include "web/authorization.h"
#include "web/login.h"

using namespace postern;
using test::location_parameter;
using test::place_of;
using test::refusal_of;

namespace {

constexpr const char* kCallback = "https://app.example/cb";

struct Fixture : test::PageFlow {
    model::User alice = fixture.add_user("alice");
    Fixture() { sign_in(alice, "of-alice"); }

    http::Response begin() { return visit(web::start_authorization, request()); }
    http::Response open() { return follow(web::show_consent, begin()); }
    std::map<std::string, std::string> answer(const std::string& decision) {
        return {{"resume", pages.last_consent.resume}, {"csrf", pages.last_consent.csrf}, {"decision", decision}};
    }
    http::Response decide(const std::string& decision) { return submit(web::submit_consent, answer(decision)); }
};

}  // namespace

TEST_CASE("show_consent: which client asks, where the answer goes, which user is signed in and what is asked for") {
    Fixture f;
    CHECK(f.open().body == "consent");
    CHECK(f.pages.last_consent.client_name == "Client app");
    CHECK(f.pages.last_consent.client_host == "app.example");
    CHECK(f.pages.last_consent.username == "alice");
    CHECK(f.pages.last_consent.action == "https://op.example/scopes");
}

TEST_CASE("show_consent: another account is a link away, but where there is no choice") {
    struct Row {
        const char* when;
        void (*change)(Fixture&, std::map<std::string, std::string>& asked);
        bool is_offered;
    };
    // clang-format off
    const Row rows[] = {
        {"any request", [](Fixture&, auto&) {}, true},
        {"a request that names a user to begin with", [](Fixture&, auto& asked) { asked["login_hint"] = "alice"; }, true},
        {"the client wants this user and no other", [](Fixture& f, auto& asked) { asked["claims"] = R"({"id_token":{"sub":{"value":")" + f.alice.subject.str() + R"("}}})"; }, false},
        {"the web server signs people in", [](Fixture& f, auto&) { f.fixture.settings.login.method = login::Method::remote_user; }, false},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        auto asked = f.request();
        row.change(f, asked);
        REQUIRE(f.follow(web::show_consent, f.visit(web::start_authorization, asked)).body == "consent");
        REQUIRE(f.pages.last_consent.other_account.empty() == !row.is_offered);
        if (!row.is_offered) continue;
        http::Response link;
        link.set("Location", f.pages.last_consent.other_account);
        const auto form = f.answer("approve");
        const auto login = f.follow(web::resume_authorization, link);
        CHECK(place_of(login) == "https://op.example/login");
        CHECK(f.follow(web::show_login, login).body == "login");
        CHECK(f.pages.last_login.username.empty());
        // To look at the login page changes nothing: this page's answer counts still.
        CHECK(location_parameter(f.follow(web::resume_authorization, f.submit(web::submit_consent, form)), "code") !=
              "");
    }
}

TEST_CASE("show_consent, submit_consent: without a session the browser goes back and signs in first") {
    Fixture f;
    const auto begun = f.begin();
    f.follow(web::show_consent, begun);
    const auto form = f.answer("approve");
    f.cookies.erase(login::cookie_names(f.fixture.settings).session);
    CHECK(place_of(f.follow(web::show_consent, begun)) == "https://op.example/authorize");
    const auto submitted = f.submit(web::submit_consent, form);
    CHECK(place_of(submitted) == "https://op.example/authorize");
    CHECK(place_of(f.follow(web::resume_authorization, submitted)) == "https://op.example/login");
}

TEST_CASE("submit_consent: yes gives a code and is remembered, no gives access_denied and is not") {
    Fixture f;
    f.open();
    const auto denied = f.follow(web::resume_authorization, f.decide("deny"));
    CHECK(place_of(denied) == kCallback);
    CHECK(location_parameter(denied, "error") == "access_denied");
    CHECK(location_parameter(denied, "state") == "s1");
    CHECK(place_of(f.begin()) == "https://op.example/scopes");

    f.open();
    const auto approved = f.follow(web::resume_authorization, f.decide("approve"));
    CHECK(place_of(approved) == kCallback);
    CHECK(location_parameter(approved, "code") != "");
    CHECK(location_parameter(approved, "iss") == "https://op.example");
    const auto again = f.begin();
    CHECK(place_of(again) == kCallback);
    CHECK(location_parameter(again, "code") != location_parameter(approved, "code"));
}

TEST_CASE("submit_consent: only the form of this browser, session and request, with a decision") {
    struct Row {
        const char* when;
        void (*change)(Fixture&, std::map<std::string, std::string>&);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"no decision", [](Fixture&, auto& form) { form.erase("decision"); }, "form_malformed"},
        {"another word", [](Fixture&, auto& form) { form["decision"] = "Approve"; }, "form_malformed"},
        {"no csrf field", [](Fixture&, auto& form) { form.erase("csrf"); }, "form_foreign"},
        {"another user signed in meanwhile", [](Fixture& f, auto&) { f.sign_in(f.fixture.add_user("bob"), "of-bob"); }, "form_foreign"},
        {"the csrf value of another request", [](Fixture& f, auto& form) { f.open(); form["csrf"] = f.pages.last_consent.csrf; }, "form_foreign"},
        {"a cut request", [](Fixture&, auto& form) { form["resume"].pop_back(); }, "resume_invalid"},
        {"too late", [](Fixture& f, auto&) { f.fixture.clock.advance(f.fixture.settings.authorization_request_ttl); }, "resume_expired"},
    };
    // clang-format on
    for (const auto& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.open();
        auto form = f.answer("approve");
        row.change(f, form);
        const auto answer = f.submit(web::submit_consent, form);
        CHECK(answer.body == "error");
        CHECK(refusal_of(answer) == row.refusal);
        CHECK_FALSE(store::find_consent(f.fixture.database, f.client.id, f.alice.subject));
    }
}

TEST_CASE("resume_authorization: a request is answered once; afterwards there is a page with a way to begin again") {
    Fixture f;
    f.open();
    const auto decided = f.decide("approve");
    f.redeem(location_parameter(f.follow(web::resume_authorization, decided), "code"));
    const auto replayed = f.follow(web::resume_authorization, decided);
    CHECK(refusal_of(replayed) == "already_used");
    CHECK(f.pages.last_error.try_again.starts_with("https://op.example/authorize?resume="));
    CHECK(refusal_of(f.follow(web::show_consent, decided)) == "already_used");
}

TEST_CASE("start_authorization: a wrong client or address is a page, everything else goes to the client") {
    struct Row {
        const char* name;
        const char* value;  ///< "" takes the parameter away
        const char* refusal;
        const char* error;
    };
    const Row rows[] = {
        {"client_id", "", "client_missing", ""},
        {"client_id", "nobody", "client_unknown", ""},
        {"redirect_uri", "https://app.example/cb/", "redirect_unregistered", ""},
        {"redirect_uri", "https://evil.example/cb", "redirect_unregistered", ""},
        {"response_type", "", "", "invalid_request"},
        {"response_type", "zz", "", "unsupported_response_type"},
        {"scope", "unknown", "", "invalid_scope"},
        {"prompt", "none login", "", "invalid_request"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.name);
        CAPTURE(row.value);
        Fixture f;
        auto request = f.request();
        request[row.name] = row.value;
        if (request[row.name].empty()) request.erase(row.name);
        const auto answer = f.visit(web::start_authorization, request);
        if (*row.error) {
            CHECK(place_of(answer) == kCallback);
            CHECK(location_parameter(answer, "error") == row.error);
            CHECK(location_parameter(answer, "state") == "s1");
        } else {
            CHECK(answer.body == "error");
            CHECK(refusal_of(answer) == row.refusal);
        }
    }
}

TEST_CASE("start_authorization: a posted request goes on by GET in whichever browser follows, and counts there alone") {
    Fixture f;
    const auto posted = f.submit(web::start_authorization, f.request());
    CHECK(posted.status == 303);
    CHECK(place_of(posted) == "https://op.example/authorize");
    CHECK(refusal_of(f.follow(web::show_login, posted)) == "other_browser");
    const auto first = f.follow(web::resume_authorization, posted);
    CHECK(place_of(first) == "https://op.example/scopes");
    f.follow(web::show_consent, first);
    REQUIRE(location_parameter(f.follow(web::resume_authorization, f.decide("approve")), "code") != "");
    const auto second = f.follow(web::resume_authorization, posted);
    CHECK(location_parameter(second, "code") != "");
}

TEST_CASE("resume_authorization: a client that was disabled or changed in between gets nothing") {
    Fixture f;
    f.open();
    const auto decided = f.decide("approve");
    f.client.enabled = false;
    db::Transaction transaction(f.fixture.database, db::Durability::full);
    REQUIRE(store::update_client(transaction, f.client));
    transaction.commit();
    CHECK(refusal_of(f.follow(web::resume_authorization, decided)) == "client_disabled");
}
