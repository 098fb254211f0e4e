// Login where the web server authenticates: who gets a session, and what stops the redirects from going in circles.
#include "web/login.h"

#include <algorithm>

#include "store/client_access.h"
#include "store/clients.h"
#include "store/groups.h"
#include "store/users.h"
#include "unit/web/page_flow.h"
#include "web/authorization.h"

using namespace postern;
using test::location_parameter;
using test::place_of;
using test::refusal_of;

namespace {

constexpr const char* kAuthorize = "https://op.example/authorize";
constexpr const char* kCallback = "https://app.example/cb";

struct Fixture : test::PageFlow {
    model::User alice = fixture.add_user("alice");
    Fixture() {
        fixture.settings.oidc = true;
        fixture.settings.login.method = login::Method::remote_user;
        named("alice");
    }
    void named(const std::string& name) { server_variables = {{"REMOTE_USER", name}, {"AUTH_TYPE", "Basic"}}; }
    http::Response begin() { return visit(web::start_authorization, request()); }
    http::Response log_in() { return follow(web::remote_login, begin()); }
    std::optional<model::User> user(const std::string& name) {
        return store::find_user_by_name(fixture.database, name);
    }
    void save(const model::User& user) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        REQUIRE(store::update_user(transaction, user));
        transaction.commit();
    }
    bool has_session() const { return cookies.contains(login::cookie_names(fixture.settings).session); }
    std::string epoch(util::Seconds ago) const { return std::to_string(util::to_epoch(fixture.clock.now() - ago)); }
};

}  // namespace

TEST_CASE("remote_login: the named user gets a session and goes back to authorize, without a form [RFC 3875 §4.1.11]") {
    Fixture f;
    const auto answer = f.log_in();
    CHECK(place_of(answer) == kAuthorize);
    CHECK(f.has_session());
    CHECK(place_of(f.follow(web::resume_authorization, answer)) == "https://op.example/scopes");
}

TEST_CASE("remote_login: which users are refused, and that no session starts") {
    struct Row {
        const char* when;
        void (*change)(Fixture&);
        int status;
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"no name", [](Fixture& f) { f.server_variables.clear(); }, 403, "remote_user_missing"},
        {"a name without AUTH_TYPE", [](Fixture& f) { f.server_variables.erase("AUTH_TYPE"); }, 403, "remote_user_missing"},
        {"a name that no user can have", [](Fixture& f) { f.named("al\nice"); }, 403, "remote_user_unusable"},
        {"an unknown name", [](Fixture& f) { f.named("carol"); }, 403, "account_unknown"},
        {"an unknown name that a new user cannot have", [](Fixture& f) { f.fixture.settings.login.auto_create = true; f.named("\xE2\x80\x8B"); }, 403, "remote_user_unusable"},
        {"a name that differs from a user's in its case alone, which nothing makes a second user of", [](Fixture& f) { f.fixture.settings.login.auto_create = true; f.named("ALICE"); }, 403, "remote_user_unusable"},
        {"a disabled user", [](Fixture& f) { f.alice.enabled = false; f.save(f.alice); }, 403, "account_disabled"},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        row.change(f);
        const auto answer = f.log_in();
        CHECK(answer.status == row.status);
        CHECK(refusal_of(answer) == row.refusal);
        CHECK_FALSE(f.has_session());
    }
}

TEST_CASE("remote_login: only for a request that was sealed for this browser and is not answered yet") {
    struct Row {
        const char* when;
        std::map<std::string, std::string> (*query)(Fixture&);
        const char* refusal;
    };
    // clang-format off
    const Row rows[] = {
        {"opened by hand", [](Fixture&) { return std::map<std::string, std::string>{}; }, "resume_missing"},
        {"forged", [](Fixture&) { return std::map<std::string, std::string>{{"resume", "x"}}; }, "resume_invalid"},
        {"another browser", [](Fixture& f) { const auto begun = f.begin(); f.cookies.clear(); return std::map<std::string, std::string>{{"resume", location_parameter(begun, "resume")}}; }, "cookie_missing"},
        {"a posted request, which no browser is bound to", [](Fixture& f) { f.fixture.settings.authorize_post = true; return std::map<std::string, std::string>{{"resume", location_parameter(f.submit(web::start_authorization, f.request()), "resume")}}; }, "other_browser"},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        CHECK(refusal_of(f.visit(web::remote_login, row.query(f))) == row.refusal);
        CHECK_FALSE(f.has_session());
    }
}

TEST_CASE("remote_login: a browser that refuses the session cookie gets a page instead of redirects in circles") {
    Fixture f;
    const auto back = f.log_in();
    f.cookies.erase(login::cookie_names(f.fixture.settings).session);
    const auto again = f.follow(web::resume_authorization, back);
    REQUIRE(place_of(again) == "https://op.example/login");
    const auto stopped = f.follow(web::remote_login, again);
    CHECK(refusal_of(stopped) == "session_cookie_missing");
    CHECK(stopped.find("Location") == nullptr);
    CHECK(f.pages.last_error.try_again != "");
}

TEST_CASE("remote_login: a session that a login in another tab has replaced meanwhile did send its cookie") {
    Fixture f;
    const auto back = f.log_in();
    const auto sent = f.cookies;
    f.log_in();  // in another tab, whose answer has not arrived when the first tab goes on
    f.cookies = sent;
    const auto again = f.follow(web::resume_authorization, back);
    REQUIRE(place_of(again) == "https://op.example/login");
    const auto logged_in = f.follow(web::remote_login, again);
    REQUIRE(place_of(logged_in) == "https://op.example/authorize");
    CHECK(place_of(f.follow(web::resume_authorization, logged_in)) == "https://op.example/scopes");
}

TEST_CASE("remote_login: a login that the client required must be proved to be newer [OIDC Core §3.1.2.1k, §3.1.2.6]") {
    struct Row {
        const char* when;
        std::map<std::string, std::string> more;
        std::optional<int> seconds_ago;  // of the login at the web server; nullopt: it does not say
        bool is_proved;
    };
    const Row rows[] = {
        {"nothing is required, no time is known", {}, std::nullopt, true},
        {"prompt=login, no time is known", {{"prompt", "login"}}, std::nullopt, false},
        {"prompt=login, a login before the request", {{"prompt", "login"}}, 1, false},
        {"prompt=login, a login in the second of the request", {{"prompt", "login"}}, 0, true},
        {"max_age that the login is older than", {{"max_age", "60"}}, 61, false},
        {"max_age that the login is younger than", {{"max_age", "60"}}, 59, true},
        {"max_age, no time is known", {{"max_age", "60"}}, std::nullopt, false},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        f.fixture.settings.login.auth_time_variable = "LOGIN_TIME";
        if (row.seconds_ago) f.server_variables["LOGIN_TIME"] = f.epoch(util::Seconds{*row.seconds_ago});
        auto query = f.request();
        for (const auto& [name, value] : row.more) query[name] = value;
        const auto answer = f.follow(web::remote_login, f.visit(web::start_authorization, query));
        CHECK(place_of(answer) == (row.is_proved ? kAuthorize : kCallback));
        CHECK(location_parameter(answer, "error") == (row.is_proved ? "" : "login_required"));
        CHECK(f.has_session());
    }
}

TEST_CASE("remote_login: the request ends with login_required once; the second time a page offers to start over") {
    Fixture f;
    const auto begun = f.visit(web::start_authorization, f.with("prompt", "login"));
    CHECK(location_parameter(f.follow(web::remote_login, begun), "error") == "login_required");
    CHECK(refusal_of(f.follow(web::remote_login, begun)) == "already_used");
}

TEST_CASE("remote_login: autoCreate makes the user at the first login, with the claims of the variables") {
    Fixture f;
    f.fixture.settings.login.auto_create = true;
    f.fixture.settings.login.claims_from_environment = {{"email", "MAIL"}};
    f.named("carol");
    f.server_variables["MAIL"] = "carol@example.org";
    CHECK(place_of(f.log_in()) == kAuthorize);
    const auto carol = f.user("carol");
    REQUIRE(carol);
    CHECK(*carol->claims.find("email")->if_string() == "carol@example.org");

    f.server_variables["MAIL"] = "new@example.org";
    CHECK(place_of(f.log_in()) == kAuthorize);
    CHECK(f.user("carol")->subject == carol->subject);
    CHECK(*f.user("carol")->claims.find("email")->if_string() == "new@example.org");
}

TEST_CASE("remote_login: a disabled user's claims stay as they are") {
    Fixture f;
    f.fixture.settings.login.claims_from_environment = {{"email", "MAIL"}};
    f.server_variables["MAIL"] = "new@example.org";
    f.alice.enabled = false;
    f.save(f.alice);
    CHECK(refusal_of(f.log_in()) == "account_disabled");
    CHECK(f.user("alice")->claims.find("email") == nullptr);
}

namespace {

/// The variable M names groups, whose names are its values.
struct GroupsFixture : Fixture {
    GroupsFixture() {
        fixture.settings.login.groups_from_environment =
            login::GroupsFromEnvironment{"M", ";", {{"staff", "staff"}, {"admins", "admins"}}};
        for (const char* name : {"staff", "admins", "others"}) add_group(name);
    }
    template <class Action>
    void write(Action action) {
        db::Transaction transaction(fixture.database, db::Durability::full);
        action(transaction);
        transaction.commit();
    }
    void add_group(const std::string& name) {
        write([&](db::Transaction& transaction) { store::insert_group(transaction, {name, "", {}}); });
    }
    std::string groups() {
        std::string names;
        for (const std::string& name : store::groups_of(fixture.database, user("alice")->subject)) names += name + " ";
        return names;
    }
    /// What the login has noted, "EVENT GROUP", and the groups then.
    std::string after_login(const std::string& variable) {
        server_variables["M"] = variable;
        CHECK(place_of(log_in()) == kAuthorize);
        std::string noted;
        for (const auto& entry : fixture.trail.entries()) {
            if (entry.event != audit::Event::group_joined && entry.event != audit::Event::group_left) continue;
            noted += entry.event == audit::Event::group_joined ? "+" : "-";
            noted += std::ranges::find(entry.members, "group", &audit::Member::first)->second + " ";
        }
        return noted + "| " + groups();
    }
};

}  // namespace

TEST_CASE("remote_login: memberships of the mapped groups follow the variable, and no others do [GROUP-8]") {
    GroupsFixture f;
    const model::Subject alice = f.alice.subject;
    f.write([&](db::Transaction& transaction) {
        store::add_member(transaction, "others", alice, {});
        store::add_member(transaction, "admins", alice, {});  // by hand, but the map names the group
    });
    CHECK(f.after_login("staff;others") == "+staff -admins | others staff ");
    CHECK(f.after_login("staff;others") == "| others staff ");
    CHECK(f.after_login("admins;staff") == "+admins | admins others staff ");
    CHECK(f.after_login("") == "-admins -staff | others ");

    f.write([](db::Transaction& transaction) { store::remove_group(transaction, "staff"); });
    CHECK(f.after_login("staff;admins") == "+admins | admins others ");  // and the login goes on
    f.server_variables.erase("M");
    CHECK(f.after_login("") == "-admins | others ");

    f.alice = *f.user("alice");
    f.alice.enabled = false;
    f.save(f.alice);
    f.server_variables["M"] = "admins";
    CHECK(refusal_of(f.log_in()) == "account_disabled");
    CHECK(f.groups() == "others ");
}

TEST_CASE(
    "remote_login: a user who moves from one group of a client to another one keeps the grants [GROUP-6, GROUP-8]") {
    GroupsFixture f;
    const auto client = f.client.id;
    f.write([&](db::Transaction& transaction) {
        f.client.restricted = true;
        store::update_client(transaction, f.client);
        store::allow_group(transaction, client, "admins");
        store::allow_group(transaction, client, "staff");
    });
    f.after_login("admins");
    f.write([&](db::Transaction& transaction) {
        model::Grant grant;
        grant.id = model::GrantId("grant");
        grant.client_id = client;
        grant.subject = f.alice.subject;
        store::insert_grant(transaction, grant, f.fixture.clock.now() + util::Seconds{60});
    });
    const auto has_ended = [&] { return store::find_grant(f.fixture.database, model::GrantId("grant"))->ended_at; };
    CHECK(f.after_login("staff") == "+staff -admins | staff ");
    CHECK_FALSE(has_ended());
    CHECK(f.after_login("none") == "-staff | ");
    CHECK(has_ended());
    const auto& entries = f.fixture.trail.entries();
    const auto left = std::ranges::find(entries, audit::Event::group_left, &audit::Trail::Entry::event);
    REQUIRE(left != entries.end());
    CHECK(std::ranges::find(left->members, audit::Member{"grants_ended", "1"}) != left->members.end());
}

TEST_CASE("remote_login: a new user is in the groups from the first login on [GROUP-8]") {
    GroupsFixture f;
    f.fixture.settings.login.auto_create = true;
    f.named("carol");
    f.server_variables["M"] = "staff";
    CHECK(place_of(f.log_in()) == kAuthorize);
    CHECK(store::groups_of(f.fixture.database, f.user("carol")->subject) == std::vector<std::string>{"staff"});
}

TEST_CASE("remote_login: a login for the account comes back to the page and says that it sent a cookie [ACCOUNT-1]") {
    Fixture f;
    const auto begun = f.visit(
        [](web::Interaction& interaction) { return web::log_in_for_account(interaction, "/account", std::nullopt); },
        {});
    const auto answer = f.follow(web::remote_login, begun);
    CHECK(answer.status == 303);
    CHECK(*answer.find("Location") == "https://op.example/account?signed_in=yes");
    CHECK(f.has_session());
}
