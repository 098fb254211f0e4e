// The login page: whom it is shown to, what it does with a password, and what it refuses.
#include "web/login.h"

#include "crypto/password.h"
#include "store/users.h"
#include "unit/text/said.h"
#include "unit/web/page_flow.h"
#include "web/authorization.h"
#include "web/consent.h"

using namespace postern;
using test::place_of;
using test::refusal_of;

namespace {

struct Fixture : test::PageFlow {
    model::User alice = fixture.add_user("alice");
    Fixture() {
        db::Transaction transaction(fixture.database, db::Durability::full);
        store::set_password_hash(transaction, alice.subject, crypto::hash_password(util::Secret("correct horse")),
                                 fixture.clock.now());
        transaction.commit();
    }
    void save() {
        db::Transaction transaction(fixture.database, db::Durability::full);
        REQUIRE(store::update_user(transaction, alice));
        transaction.commit();
    }
    http::Response open() { return follow(web::show_login, visit(web::start_authorization, request())); }
    std::map<std::string, std::string> typed(const std::string& username, const std::string& password) {
        return {{"resume", pages.last_login.resume},
                {"csrf", pages.last_login.csrf},
                {"username", username},
                {"password", password}};
    }
    http::Response submit_as(const std::string& username, const std::string& password) {
        return submit(web::submit_login, typed(username, password));
    }
    std::string session_cookie() const {
        const auto found = cookies.find(login::cookie_names(fixture.settings).session);
        return found == cookies.end() ? "" : found->second;
    }
};

}  // namespace

TEST_CASE("show_login: the form for a request of this browser, with the client's name and its login_hint") {
    Fixture f;
    auto request = f.request();
    request["login_hint"] = "alice@example.org";
    const auto page = f.follow(web::show_login, f.visit(web::start_authorization, request));
    CHECK(page.body == "login");
    CHECK(f.pages.last_login.client_name == "Client app");
    CHECK(f.pages.last_login.username == "alice@example.org");
    CHECK(f.pages.last_login.message == "");
    CHECK(f.pages.last_login.action == "https://op.example/login");
}

TEST_CASE("show_login, show_consent: no form without a request that was sealed for this browser") {
    struct Row {
        const char* when;
        void (*change)(Fixture&, std::map<std::string, std::string>&);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"nothing to resume", [](Fixture&, auto& query) { query.clear(); }, "resume_missing"},
        {"a cut request", [](Fixture&, auto& query) { query["resume"].pop_back(); }, "resume_invalid"},
        {"an empty one", [](Fixture&, auto& query) { query["resume"].clear(); }, "resume_missing"},
        {"no cookie", [](Fixture& f, auto&) { f.cookies.clear(); }, "cookie_missing"},
        {"another browser", [](Fixture& f, auto&) { for (auto& [name, value] : f.cookies) value[0] = value[0] == 'A' ? 'B' : 'A'; }, "other_browser"},
        {"too late", [](Fixture& f, auto&) { f.fixture.clock.advance(f.fixture.settings.authorization_request_ttl); }, "resume_expired"},
    };
    // clang-format on
    for (const auto& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        const auto begun = f.visit(web::start_authorization, f.request());
        std::map<std::string, std::string> query{{"resume", test::location_parameter(begun, "resume")}};
        row.change(f, query);
        const auto answer = f.visit(web::show_login, query);
        CHECK(answer.body == "error");
        CHECK(refusal_of(answer) == row.refusal);
    }
}

TEST_CASE("show_login: a sign-in of another browser is refused, and can be started over in this one [A18]") {
    struct Row {
        const char* when;
        void (*change)(Fixture&);
        const char* refusal;
    };
    const Row rows[] = {
        {"without cookies", [](Fixture& f) { f.cookies.clear(); }, "cookie_missing"},
        {"with its own",
         [](Fixture& f) {
             f.cookies.clear();
             f.visit(web::start_authorization, f.request());
         },
         "other_browser"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        auto asked = f.request();
        asked["login_hint"] = "alice";
        const auto begun = f.visit(web::start_authorization, asked);
        const auto first_browser = f.cookies;
        row.change(f);
        CHECK(refusal_of(f.follow(web::show_login, begun)) == row.refusal);
        http::Response link;
        link.set("Location", f.pages.last_error.try_again);
        REQUIRE(place_of(link) == "https://op.example/authorize");
        const auto login = f.follow(web::resume_authorization, link);
        REQUIRE(place_of(login) == "https://op.example/login");
        CHECK(f.follow(web::show_login, login).body == "login");
        CHECK(f.pages.last_login.username.empty());  // what the first browser knows stays there
        const auto back = f.submit_as("alice", "correct horse");
        CHECK(place_of(f.follow(web::resume_authorization, back)) == "https://op.example/scopes");
        // The request of the first browser is where it was.
        f.cookies = first_browser;
        CHECK(f.follow(web::show_login, begun).body == "login");
        CHECK(f.pages.last_login.username == "alice");
        CHECK(place_of(f.follow(web::resume_authorization, begun)) == "https://op.example/login");
    }
}

TEST_CASE("submit_login: the right password starts a session and leads back to authorize") {
    Fixture f;
    f.open();
    const auto answer = f.submit_as("alice", "correct horse");
    CHECK(answer.status == 303);
    CHECK(place_of(answer) == "https://op.example/authorize");
    CHECK(f.session_cookie() != "");
}

TEST_CASE("submit_login: a wrong password, an unknown and a disabled user get the same form and no session") {
    Fixture f;
    f.open();
    const auto refused = [&](const std::string& username, const std::string& password) {
        CAPTURE(username);
        const auto answer = f.submit_as(username, password);
        CHECK(answer.status == 200);
        CHECK(answer.body == "login");
        CHECK(refusal_of(answer) == "login_failed");
        CHECK(f.pages.last_login.username == username);
        CHECK(f.session_cookie() == "");
        return text::said(f.pages.last_login.message);
    };
    const std::string message = refused("alice", "wrong");
    CHECK(message != "");
    CHECK(refused("nobody", "correct horse") == message);
    CHECK(refused("", "") == message);
    f.alice.enabled = false;
    f.save();
    CHECK(refused("alice", "correct horse") == message);
}

TEST_CASE("submit_login: after maxFailures the form says how long to wait, with 429 and Retry-After") {
    Fixture f;
    f.fixture.settings.login.max_failures = 2;
    f.open();
    f.submit_as("alice", "wrong");
    f.submit_as("alice", "wrong");
    const auto answer = f.submit_as("alice", "correct horse");
    CHECK(answer.status == 429);
    REQUIRE(answer.find("Retry-After"));
    CHECK(std::stoi(*answer.find("Retry-After")) > 0);
    CHECK(refusal_of(answer) == "login_throttled");
    CHECK(f.session_cookie() == "");
}

TEST_CASE("submit_login: only the form of this browser and this request, with each field once") {
    struct Row {
        const char* when;
        void (*change)(Fixture&, std::map<std::string, std::string>&);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"no csrf field", [](Fixture&, auto& form) { form.erase("csrf"); }, "form_foreign"},
        {"another csrf value", [](Fixture&, auto& form) { form["csrf"][0] = form["csrf"][0] == 'A' ? 'B' : 'A'; }, "form_foreign"},
        {"the csrf value of another request", [](Fixture& f, auto& form) { const auto resume = form["resume"]; f.open(); form["csrf"] = f.pages.last_login.csrf; form["resume"] = resume; }, "form_foreign"},
        {"no request", [](Fixture&, auto& form) { form.erase("resume"); }, "resume_missing"},
        {"no cookie", [](Fixture& f, auto&) { f.cookies.clear(); }, "cookie_missing"},
    };
    // clang-format on
    for (const auto& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        f.open();
        auto form = f.typed("alice", "correct horse");
        row.change(f, form);
        const auto answer = f.submit(web::submit_login, form);
        CHECK(answer.body == "error");
        CHECK(refusal_of(answer) == row.refusal);
        CHECK(f.session_cookie() == "");
    }
}

TEST_CASE(
    "submit_login: what cannot be seen around a user name does not count, and the form shows the name without it") {
    for (const std::string name : {"alice ", " alice", "alice\t", "\talice", "alice\r\n", "\u00a0alice", "alice\u2003",
                                   "alice\u3000", "alice\u200b", "\ufeffalice", "\u200ealice\u200f"}) {
        CAPTURE(name);
        Fixture f;
        f.fixture.settings.login.max_failures = 1;
        f.open();
        CHECK(refusal_of(f.submit_as(name, "wrong")) == "login_failed");
        CHECK(f.pages.last_login.username == "alice");
        // It is one name for the throttle, too.
        CHECK(refusal_of(f.submit_as("alice", "correct horse")) == "login_throttled");
        f.fixture.settings.login.max_failures = 9;
        CHECK(f.submit_as(name, "correct horse").status == 303);
        CHECK(f.session_cookie() != "");
    }
    Fixture f;
    f.open();
    for (const std::string name : {"al ice", "al\u200bice", "alice.", "alice x", " ", "\u200b"}) {
        CAPTURE(name);
        CHECK(refusal_of(f.submit_as(name, "correct horse")) == "login_failed");
    }
}

TEST_CASE("submit_login: a password is never changed; one with a tab or a line end is refused with the reason") {
    Fixture f;
    f.open();
    for (const std::string password : {"correct horse\t", "\tcorrect horse", "correct horse\r\n", "correct horse\n"}) {
        CAPTURE(password);
        const auto answer = f.submit_as("alice", password);
        CHECK(answer.status == 200);
        CHECK(refusal_of(answer) == "login_failed");
        CHECK(answer.refusal->detail.find("a tab or a line end") != std::string::npos);
        CHECK(text::said(f.pages.last_login.message) ==
              "There is a tab or a line break in the password. Enter it without one.");
        CHECK(f.pages.last_login.username == "alice");
    }
    for (const std::string password :
         {"correct horse ", " correct horse", "correct horse\u00a0", "correct horse\u200b"}) {
        CAPTURE(password);
        CHECK(f.submit_as("alice", password).refusal->detail == "wrong password");
    }
    CHECK(f.submit_as("alice", "correct horse").status == 303);
}

TEST_CASE("submit_login: a second login of the browser ends the first session's cookie") {
    Fixture f;
    f.open();
    f.submit_as("alice", "correct horse");
    const auto before = f.cookies;
    auto again = f.request();
    again["prompt"] = "login";
    f.follow(web::show_login, f.visit(web::start_authorization, again));
    REQUIRE(f.submit_as("alice", "correct horse").status == 303);
    CHECK(f.cookies != before);
    f.cookies = before;
    const auto answer = f.visit(web::start_authorization, f.request());
    CHECK(place_of(answer) == "https://op.example/login");
}

namespace {

http::Response want_account(web::Interaction& interaction) {
    return web::log_in_for_account(interaction, "/account/password", "alice");
}

}  // namespace

TEST_CASE("login for the account: the form names it, and the browser comes back to the page [ACCOUNT-1]") {
    Fixture f;
    const auto begun = f.visit(want_account, {});
    CHECK(begun.status == 303);
    CHECK(place_of(begun) == "https://op.example/login");
    CHECK(f.follow(web::show_login, begun).body == "login");
    CHECK(f.pages.last_login.client_name == "your account");
    CHECK(f.pages.last_login.username == "alice");
    const auto answer = f.submit_as("alice", "correct horse");
    CHECK(answer.status == 303);
    CHECK(*answer.find("Location") == "https://op.example/account/password");
    CHECK_FALSE(f.session_cookie().empty());
    REQUIRE(f.fixture.trail.entries().size() == 1);
    for (const auto& [name, value] : f.fixture.trail.entries()[0].members) CHECK(name != "client_id");
    // It is no request that an application waits for.
    CHECK_FALSE(f.fixture.database.query("SELECT 1 FROM authorization_requests").step());
}

TEST_CASE("login for the account: bound to the browser and expiring as requests do [ACCOUNT-1]") {
    struct Row {
        const char* when;
        void (*change)(Fixture&, std::map<std::string, std::string>&);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"a cut seal", [](Fixture&, auto& query) { query["resume"].pop_back(); }, "resume_invalid"},
        {"no cookie", [](Fixture& f, auto&) { f.cookies.clear(); }, "cookie_missing"},
        {"another browser", [](Fixture& f, auto&) { for (auto& [name, value] : f.cookies) value[0] = value[0] == 'A' ? 'B' : 'A'; }, "other_browser"},
        {"too late", [](Fixture& f, auto&) { f.fixture.clock.advance(f.fixture.settings.authorization_request_ttl); }, "resume_expired"},
    };
    // clang-format on
    for (const auto& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        std::map<std::string, std::string> query{
            {"resume", test::location_parameter(f.visit(want_account, {}), "resume")}};
        row.change(f, query);
        CHECK(refusal_of(f.visit(web::show_login, query)) == row.refusal);
    }
}

TEST_CASE("login for the account: in another browser it is started over at the page [ACCOUNT-1]") {
    Fixture f;
    const auto begun = f.visit(want_account, {});
    f.cookies.clear();
    CHECK(refusal_of(f.follow(web::show_login, begun)) == "cookie_missing");
    CHECK(f.pages.last_error.try_again == "https://op.example/account/password");
    // Also with a name that was typed: what carries it is bound to a browser, and this one has no cookie.
    auto form = f.typed("alice", "correct horse");
    form["resume"] = test::location_parameter(begun, "resume");
    CHECK(refusal_of(f.submit(web::submit_login, form)) == "cookie_missing");
    CHECK(f.pages.last_error.try_again == "https://op.example/account/password");
}

TEST_CASE("login for the account: what expired is started over at the page [ACCOUNT-1]") {
    Fixture f;
    const auto begun = f.visit(want_account, {});
    f.fixture.clock.advance(f.fixture.settings.authorization_request_ttl);
    CHECK(refusal_of(f.follow(web::show_login, begun)) == "resume_expired");
    CHECK(f.pages.last_error.try_again == "https://op.example/account/password");
}

TEST_CASE("login for the account: its seal is worth nothing to authorize and to the consent page [ACCOUNT-1]") {
    Fixture f;
    const auto begun = f.visit(want_account, {});
    CHECK(refusal_of(f.follow(web::resume_authorization, begun)) == "resume_invalid");
    CHECK(refusal_of(f.follow(web::show_consent, begun)) == "resume_invalid");
}
