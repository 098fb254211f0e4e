// Where the web server lets people in (login.method remote_user): whom it names is logged in, and nobody else.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "store/users.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern;
using namespace postern::test;
using std::chrono::seconds;

using Variables = std::map<std::string, std::optional<std::string>>;

json::Object remote(const json::Object& more = {}) {
    json::Object login{{"method", "remote_user"}};
    for (const auto& [name, value] : more.members()) login.set(name, value);
    return login;
}

Deployment::Options options(const json::Object& more = {}) {
    return Deployment::Options{"https://op.example", json::Object{{"login", remote(more)}}};
}

Variables named(const std::string& user) { return {{"REMOTE_USER", user}, {"AUTH_TYPE", "Basic"}}; }

/// A browser for which the web server sets these variables at the login endpoint.
UserAgent browser_of(const Deployment& op, const Variables& variables) {
    UserAgent browser(op);
    browser.login_variables() = variables;
    return browser;
}

bool says(const Landing& page, const std::string& words) {
    return visible_text(page.answer.body).find(words) != std::string::npos;
}

json::Object id_token_of(const Deployment& op, const Landing& done) {
    REQUIRE(done.verdict() == "code");
    const Answer tokens = redeem(op, token_request(done.parameter("code"), kTrusted), kTrusted);
    REQUIRE_MESSAGE(tokens.status == 200, tokens.body << tokens.log);
    return jwt_claims(tokens.member("id_token"));
}

/// What `postern why` would say of the page.
std::string why(const Deployment& op, const Landing& page) {
    return op.must({"why", page.answer.header("X-Request-Id")});
}

TEST_CASE("remote user: one visit leads to the code, with no form and no word of how the user was authenticated") {
    const Deployment op(options());
    UserAgent alice = browser_of(op, named(kAlice));
    const Landing done = alice.authorize(authorization_request(kTrusted));
    const json::Object claims = id_token_of(op, done);
    CHECK(text_of(claims, "sub") == subject_of(op, kAlice));
    for (const char* unknown : {"acr", "amr", "auth_time"}) CHECK(claims.find(unknown) == nullptr);
    CHECK(op.cgi("discovery").json().find("acr_values_supported") == nullptr);
    // The session does for the next one, without the web server's word.
    alice.login_variables().clear();
    CHECK(alice.authorize(authorization_request(kTrusted)).verdict() == "code");
    CHECK(alice.authorize(authorization_request(kTrusted).with("prompt", "none")).verdict() == "code");
    CHECK(op.must({"session", "list"}).find("unknown") != std::string::npos);
}

TEST_CASE("remote user: headers do nothing, by any name [CWE-290]") {
    const Deployment op(options({{"autoCreate", true}}));
    for (const char* header : {"Remote-User", "Remote_User", "REMOTE_USER", "X-Remote-User", "X-Forwarded-User",
                               "Auth-Type", "Redirect-Remote-User", "Proxy-Remote-User"}) {
        CAPTURE(header);
        UserAgent nobody(op);
        const std::string login = nobody.fetch(op.url("authorize") + "?" + authorization_request().text()).location();
        CgiRequest request = get_request(login.substr(login.find('?') + 1));
        request.headers = {{header, kAlice},
                           {"Auth-Type", "Basic"},
                           {"Authorization", "Basic YWxpY2U6eA=="},
                           {"Cookie", nobody.cookies().begin()->first + "=" + nobody.browser_cookie()}};
        const Answer answer = op.cgi("login", request);
        CHECK(answer.status == 403);
        CHECK_FALSE(answer.has("Set-Cookie"));
        // With the web server's word beside it, it is that which counts.
        request.variables = named(kBob);
        CHECK(op.cgi("login", request).status == 303);
    }
    CHECK(op.must({"session", "list", "--json"}).find(kAlice) == std::string::npos);
    CHECK(op.count_rows("users") == 2);
}

TEST_CASE("remote user: what is not authenticated gets a page that says what the web server must do") {
    struct Row {
        Variables variables;
        const char* error;
    };
    const std::vector<Row> rows = {
        {{}, "remote_user_missing"},
        {{{"REMOTE_USER", kAlice}}, "remote_user_missing"},  // nginx's stock parameters
        {{{"REMOTE_USER", kAlice}, {"AUTH_TYPE", ""}}, "remote_user_missing"},
        {{{"AUTH_TYPE", "Basic"}}, "remote_user_missing"},
        {{{"REDIRECT_REMOTE_USER", kAlice}, {"AUTH_TYPE", "Basic"}}, "remote_user_missing"},
        {{{"REMOTE_USER", "al\x01ice"}, {"AUTH_TYPE", "Basic"}}, "remote_user_unusable"},
    };
    const Deployment op(options({{"autoCreate", true}}));
    for (const Row& row : rows) {
        CAPTURE(row.error);
        UserAgent browser = browser_of(op, row.variables);
        const Landing page = browser.authorize(authorization_request());
        CHECK(page.verdict() == "page 403");
        CHECK(why(op, page).find(row.error) != std::string::npos);
        CHECK(says(page, "AUTH_TYPE") == (std::string(row.error) == "remote_user_missing"));
        CHECK(browser.session_cookie().empty());
        // Opened by hand, without a sign-in to continue, it says the same.
        CHECK(browser.open(op.url("login")).verdict() == "page 403");
    }
    CHECK(browser_of(op, named(kAlice)).open(op.url("login")).verdict() == "page 400");
    CHECK(op.count_rows("users") == 2);
    CHECK(op.count_rows("sessions") == 0);
}

TEST_CASE("remote user: a variable of the operator's choice, and then REMOTE_USER is ignored") {
    const Deployment op(options({{"remoteUserVariable", "OIDC_CLAIM_sub"}}));
    CHECK(browser_of(op, {{"OIDC_CLAIM_sub", kAlice}}).authorize(authorization_request(kTrusted)).verdict() == "code");
    CHECK(browser_of(op, named(kAlice)).authorize(authorization_request(kTrusted)).verdict() == "page 403");
}

TEST_CASE("remote user: passwords are not accepted, and with method password REMOTE_USER is ignored") {
    Deployment op;
    UserAgent alice = browser_of(op, named(kAlice));
    const Landing form = alice.authorize(authorization_request(kTrusted));
    CHECK(form.verdict() == "login");
    CHECK(alice.session_cookie().empty());
    const std::string posted = alice.form_of(form, "login", {{"username", kAlice}, {"password", kAlicePassword}});
    op.configure("login", remote());
    const Answer refused = alice.send(op.url("login"), posted);
    CHECK(refused.status == 405);
    CHECK(refused.header("Allow") == "GET");
    CHECK(op.count_rows("sessions") == 0);
    op.configure("login", json::Object{{"method", "password"}});
    CHECK(alice.log_in(form).verdict() == "code");
}

TEST_CASE(
    "remote user: an unknown user is made once, or gets a page that names who can help; a disabled one stays out") {
    Deployment op(options());
    const auto carol = [&] { return browser_of(op, named("carol@REALM")).authorize(authorization_request(kTrusted)); };
    const Landing unknown = carol();
    CHECK(unknown.verdict() == "page 403");
    CHECK(says(unknown, "not known here"));
    CHECK(says(unknown, "administrator"));
    CHECK(why(op, unknown).find("account_unknown") != std::string::npos);
    CHECK(op.count_rows("users") == 2);

    op.configure("login", remote({{"autoCreate", true}}));
    const std::string sub = text_of(id_token_of(op, carol()), "sub");
    CHECK(sub == subject_of(op, "carol@REALM"));
    CHECK(text_of(id_token_of(op, carol()), "sub") == sub);
    CHECK(op.count_rows("users") == 3);
    // Without a password, should the method ever change.
    op.configure("login", json::Object{{"method", "password"}});
    UserAgent browser(op);
    CHECK(browser.log_in(browser.authorize(authorization_request(kTrusted)), "carol@REALM", "").verdict() == "login");

    op.configure("login", remote({{"autoCreate", true}}));
    op.must({"user", "disable", "carol@REALM"});
    const Landing disabled = carol();
    CHECK(disabled.verdict() == "page 403");
    CHECK(says(disabled, "switched off"));
    CHECK(op.count_rows("users") == 3);
}

TEST_CASE("remote user: no user is made with an invisible name; an existing user with one still signs in") {
    Deployment op(options({{"autoCreate", true}}));
    for (const std::string name : {"\u200b", "\ufeffdave", "dave\u00ad", "\u3000"}) {
        CAPTURE(name);
        const Landing page = browser_of(op, named(name)).authorize(authorization_request(kTrusted));
        CHECK(page.verdict() == "page 403");
        CHECK(why(op, page).find("remote_user_unusable") != std::string::npos);
    }
    CHECK(op.count_rows("users") == 2);
    postern::db::Database database(op.database(), postern::db::Access::read_write);
    postern::db::Transaction transaction(database, postern::db::Durability::full);
    auto bob = postern::store::find_user_by_name(database, kBob);
    REQUIRE(bob);
    bob->username = "bob\u200b";
    CHECK(postern::store::update_user(transaction, *bob));
    transaction.commit();
    CHECK(browser_of(op, named("bob\u200b")).authorize(authorization_request(kTrusted)).verdict() == "code");
}

TEST_CASE("remote user: claims follow the web server's variables at each login, and others are left alone") {
    const Deployment op(options(
        {{"autoCreate", true},
         {"claimsFromEnvironment", json::Object{{"email", "AUTHENTICATE_MAIL"}, {"email_verified", "MAIL_OK"}}}}));
    const auto told = [&](const char* user, const Variables& more) {
        Variables variables = named(user);
        variables.insert(more.begin(), more.end());
        UserAgent browser = browser_of(op, variables);
        const Landing done = browser.approve(browser.authorize(authorization_request().with("prompt", "consent")));
        const Answer tokens = redeem(op, token_request(done.parameter("code")));
        return userinfo(op, tokens.member("access_token")).json();
    };
    const json::Object first = told("carol", {{"AUTHENTICATE_MAIL", "carol@a.example"}, {"MAIL_OK", "TRUE"}});
    CHECK(text_of(first, "email") == "carol@a.example");
    REQUIRE(first.find("email_verified") != nullptr);
    CHECK(*first.find("email_verified")->if_bool());
    const json::Object second = told("carol", {{"AUTHENTICATE_MAIL", "carol@b.example"}});
    CHECK(text_of(second, "email") == "carol@b.example");
    CHECK(second.find("email_verified") == nullptr);
    CHECK(told("carol", {{"AUTHENTICATE_MAIL", "not an address"}}).find("email") == nullptr);

    CHECK(text_of(told(kAlice, {{"AUTHENTICATE_MAIL", "alice@a.example"}}), "email") == "alice@a.example");
    const std::string alice = op.must({"user", "show", kAlice, "--json"});
    CHECK(alice.find("alice@a.example") != std::string::npos);
    CHECK(alice.find("Alice Example") != std::string::npos);
}

TEST_CASE("remote user: a fresh login is proved by its time, or the client gets login_required [OIDC Core §3.1.2.1n]") {
    struct Row {
        const char* request;
        const char* variable;     ///< authTimeFromEnvironment, or ""
        std::optional<long> age;  ///< of the web server's login when the client asks; nullopt: not told
        const char* verdict;
    };
    const std::vector<Row> rows = {
        {"", "", std::nullopt, "code"},
        {"prompt=login", "", std::nullopt, "login_required"},
        {"prompt=select_account", "", std::nullopt, "login_required"},
        {"max_age=0", "", std::nullopt, "login_required"},
        {"max_age=3600", "", std::nullopt, "login_required"},
        {"max_age=2147483647", "", std::nullopt, "login_required"},
        {"prompt=login", "", 0, "login_required"},  // told, but not to us
        {"prompt=login", "T", std::nullopt, "login_required"},
        {"prompt=login", "T", 0, "code"},
        {"prompt=login", "T", 1, "login_required"},
        {"prompt=login", "T", -1, "login_required"},  // in the future
        {"max_age=0", "T", 0, "code"},
        {"max_age=0", "T", 1, "login_required"},
        {"max_age=60", "T", 60, "code"},
        {"max_age=60", "T", 61, "login_required"},
        {"max_age=60", "T", -1, "login_required"},
        {"", "T", 100000, "code"},
        {"", "T", -1, "code"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.request);
        CAPTURE(row.variable);
        CAPTURE(row.age.value_or(-99));
        json::Object more;
        if (*row.variable) more.set("authTimeFromEnvironment", row.variable);
        const Deployment op(options(more));
        Variables variables = named(kAlice);
        if (row.age) variables["T"] = std::to_string(op.now() - *row.age);
        UserAgent alice = browser_of(op, variables);
        const Query request = authorization_request(kTrusted).raw(row.request);
        const Landing done = alice.authorize(request);
        CHECK(done.verdict() == row.verdict);
        if (done.verdict() == "code") {
            const json::Object claims = id_token_of(op, done);
            const bool proved = *row.variable && row.age && *row.age >= 0;
            CHECK(number_of(claims, "auth_time") == (proved ? op.now() - *row.age : -1));
            CHECK(claims.find("acr") == nullptr);
        } else {
            // And once only: nothing comes of going back.
            const std::string login = done.visited.at(done.visited.size() - 1);
            CHECK(alice.open(login).verdict() == "page 400");
        }
    }
}

TEST_CASE("remote user: a login that came after the request counts although the request waited for it") {
    Deployment op(options({{"authTimeFromEnvironment", "T"}}));
    UserAgent alice(op);
    const Answer sent =
        alice.fetch(op.url("authorize") + "?" + authorization_request(kTrusted).with("prompt", "login").text());
    op.advance(seconds(90));
    alice.login_variables() = named(kAlice);
    alice.login_variables()["T"] = std::to_string(op.now() - 30);
    const Landing done = alice.open(sent.location());
    CHECK(number_of(id_token_of(op, done), "auth_time") == op.now() - 30);
}

TEST_CASE(
    "remote user: the sign-in of another browser cannot be finished here, and a finished one not again [CWE-384]") {
    const Deployment op(options());
    UserAgent mallory(op);
    const std::string link =
        mallory.fetch(op.url("authorize") + "?" + authorization_request(kTrusted).text()).location();
    UserAgent fresh = browser_of(op, named(kAlice));
    CHECK(fresh.open(link).verdict() == "page 400");
    CHECK(fresh.session_cookie().empty());
    UserAgent alice = browser_of(op, named(kAlice));
    const Landing done = alice.authorize(authorization_request(kTrusted));
    const std::string session = alice.session_cookie();
    CHECK(alice.open(link).verdict() == "page 400");
    CHECK(alice.open(done.visited.at(1)).verdict() == "page 400");
    CHECK(alice.open(op.url("login") + "?resume=x").verdict() == "page 400");
    CHECK(alice.session_cookie() == session);
    CHECK(op.count_rows("sessions") == 1);
}

TEST_CASE("remote user: a browser that drops the session cookie gets a page after one round of redirects") {
    const Deployment op(options());
    UserAgent alice = browser_of(op, named(kAlice));
    std::string url = op.url("authorize") + "?" + authorization_request(kTrusted).text();
    const std::string browser_cookie_only = [&] {
        alice.fetch(url);
        return alice.cookies().begin()->first + "=" + alice.browser_cookie();
    }();
    std::vector<std::string> journey;
    Answer answer;
    do {
        CgiRequest request = get_request(url.substr(url.find('?') + 1));
        request.headers = {{"Cookie", browser_cookie_only}};
        request.variables = named(kAlice);
        const bool at_login = url.starts_with(op.url("login"));
        journey.emplace_back(at_login ? "login" : "authorize");
        answer = op.cgi(journey.back(), request);
        url = answer.location();
    } while (answer.status == 303 && journey.size() < 10);
    CHECK(journey == std::vector<std::string>{"authorize", "login", "authorize", "login"});
    CHECK(answer.status == 400);
    CHECK(visible_text(answer.body).find("Your browser sent no cookie") != std::string::npos);
    CHECK(op.must({"why", answer.header("X-Request-Id")}).find("session cookie") != std::string::npos);
    CHECK(op.count_rows("sessions") == 1);
    // Signing out in another tab on the way looks the same: whoever has cookies gets on from here.
    const auto links = find_tags(answer.body, "a");
    REQUIRE(links.size() == 1);
    const std::string again = links[0].at("href");
    CHECK(alice.follow(again, alice.fetch(again)).verdict() == "code");
    // Who goes back to the application with a better browser is let in.
    CHECK(alice.authorize(authorization_request(kTrusted)).verdict() == "code");
}

TEST_CASE(
    "remote user: another name than the session's is another session, and the user a client wants is insisted on") {
    const Deployment op(options({{"authTimeFromEnvironment", "T"}}));
    UserAgent browser = browser_of(op, named(kAlice));
    browser.login_variables()["T"] = std::to_string(op.now());
    const Query again = authorization_request(kTrusted).with("prompt", "login");
    const json::Object alices = id_token_of(op, browser.authorize(again));
    CHECK(text_of(id_token_of(op, browser.authorize(again)), "sid") == text_of(alices, "sid"));
    browser.login_variables()["REMOTE_USER"] = kBob;
    const json::Object bobs = id_token_of(op, browser.authorize(again));
    CHECK(text_of(bobs, "sub") == subject_of(op, kBob));
    CHECK(text_of(bobs, "sid") != text_of(alices, "sid"));
    CHECK(op.count_rows("sessions") == 1);

    const std::string wanted = R"({"id_token":{"sub":{"value":")" + text_of(alices, "sub") + "\"}}}";
    const Query for_alice = authorization_request(kTrusted).with("claims", wanted);
    CHECK(browser.authorize(for_alice).verdict() == "login_required");
    browser.login_variables().erase("T");
    CHECK(browser.authorize(for_alice).verdict() == "login_required");
    browser.login_variables()["REMOTE_USER"] = kAlice;
    CHECK(browser.authorize(for_alice).verdict() == "code");
}

TEST_CASE("remote user: an essential acr cannot be met where the web server authenticates users [OIDC Core §5.5.1.1]") {
    const Deployment op(options());
    const Query request = authorization_request(kTrusted).with(
        "claims",
        R"({"id_token":{"acr":{"essential":true,"value":"urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport"}}})");
    CHECK(browser_of(op, named(kAlice)).authorize(request).verdict() == "unmet_authentication_requirements");
}

TEST_CASE(
    "remote user: after logout the browser goes to the web server's own, and from there where the client wanted") {
    struct Row {
        const char* redirect;  ///< logoutRedirect, or "" for none
        bool asked;            ///< post_logout_redirect_uri came with a hint
        std::string expected;
    };
    const std::string bye = "https://app.example/bye";
    const std::vector<Row> rows = {
        {"", true, bye + "?state=s%201"},
        {"", false, ""},
        {"https://op.example/out", true, "https://op.example/out"},
        {"https://op.example/out", false, "https://op.example/out"},
        {"https://op.example/out?to={return}&x=1", true,
         "https://op.example/out?to=https%3A%2F%2Fapp.example%2Fbye%3Fstate%3Ds%25201&x=1"},
        {"https://op.example/out?to={return}&x=1", false,
         "https://op.example/out?to=https%3A%2F%2Fop.example%2Flogout%3Fsigned_out%3D1&x=1"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.redirect);
        CAPTURE(row.asked);
        json::Object more;
        if (*row.redirect) more.set("logoutRedirect", row.redirect);
        const Deployment op(options(more));
        op.must({"client", "set", kTrusted, "--post-logout-redirect-uri", bye});
        UserAgent alice = browser_of(op, named(kAlice));
        const Answer tokens = redeem(
            op, token_request(alice.authorize(authorization_request(kTrusted)).parameter("code"), kTrusted), kTrusted);
        Query query = {{"id_token_hint", tokens.member("id_token")}};
        if (row.asked) query = query.with("post_logout_redirect_uri", bye).with("state", "s 1");
        // The second time there is no session left here, but the web server's may live.
        for (const char* round : {"signed in", "signed out"}) {
            CAPTURE(round);
            const Landing out = alice.open(op.url("logout") + "?" + query.text());
            CHECK((out.left ? out.url : "") == row.expected);
            if (!out.left) CHECK(says(out, "You are signed out"));
            CHECK(alice.session_cookie().empty());
            CHECK(op.count_rows("sessions") == 0);
        }
        const Landing back = alice.open(op.url("logout") + "?signed_out=1");
        CHECK(back.verdict() == "page 200");
        CHECK(says(back, "You are signed out"));
    }
}

TEST_CASE("remote user: a browser that returns from a logout which another site linked to is asked, not misinformed") {
    const Deployment op(options({{"logoutRedirect", "https://op.example/out"}}));
    UserAgent alice = browser_of(op, named(kAlice));
    alice.authorize(authorization_request(kTrusted));
    const Landing question = alice.open(op.url("logout") + "?signed_out=1");
    CHECK(question.verdict() == "logout");
    CHECK(alice.submit(question, "cancel").verdict() == "page 200");
    CHECK(alice.submit(question, "logout").url == "https://op.example/out");
    CHECK(op.count_rows("sessions") == 0);
}

/// The one audit line of that event.
json::Object audit_line_of(const std::string& log, const std::string& event) {
    auto lines = audit_lines(log);
    std::erase_if(lines, [&](const json::Object& line) { return text_of(line, "event") != event; });
    REQUIRE_MESSAGE(lines.size() == 1, log);
    return lines.front();
}

/// The web server passes on which groups of a directory the user is in.
json::Object with_groups() {
    return {{"groupsFromEnvironment",
             json::Object{{"variable", "MEMBEROF"},
                          {"separator", "; "},
                          {"groups", json::Object{{"cn=staff,ou=groups,dc=example,dc=org", "staff"},
                                                  {"cn=it,ou=groups,dc=example,dc=org", "admins"}}}}}};
}

TEST_CASE(
    "remote user: groups follow the web server's variable, and what they gave ends with them [GROUP-6, GROUP-8]") {
    const std::string staff = "cn=staff,ou=groups,dc=example,dc=org";
    const std::string admins = "cn=it,ou=groups,dc=example,dc=org";
    Deployment op(options(with_groups()));
    const auto log = op.directory() / "audit.log";
    op.configure("log", json::Object{{"target", log.string()}});
    for (const char* name : {"staff", "others"}) op.must({"group", "add", name});
    op.must({"group", "member", "add", "others", kAlice});
    op.must({"client", "set", kTrusted, "--allow-group", "staff"});
    std::size_t seen = 0;
    const auto news = [&] {
        const std::string all = read_file(log);
        return all.substr(std::exchange(seen, all.size()));
    };
    const auto groups = [&] {
        const std::string shown = op.must({"user", "show", kAlice, "--json"});
        std::string list = shown.substr(shown.find("\"groups\": ["));
        std::erase_if(list, [](char c) { return c == ' ' || c == '\n'; });
        return list.substr(9, list.find(']') - 8);
    };
    UserAgent browser = browser_of(op, named(kAlice));
    const auto sign_in = [&](const std::string& memberships) {
        browser.login_variables()["MEMBEROF"] = memberships;
        browser.cookies().clear();
        return browser.authorize(authorization_request(kTrusted));
    };

    CHECK(sign_in(admins).verdict() == "page 403");
    CHECK(groups() == R"(["others"])");
    CHECK(news().find("\"group_missing\",\"group\":\"admins\"") != std::string::npos);
    const std::string doctor = op.postern({"doctor"}).out;
    CHECK(doctor.find("names the group \"admins\", which is not there") != std::string::npos);
    CHECK(doctor.find("fix: postern group add admins\n") != std::string::npos);
    CHECK(doctor.find("names the group \"staff\"") == std::string::npos);

    const Landing done = sign_in("cn=x; " + staff + "; " + admins);
    CHECK(groups() == R"(["others","staff"])");
    const json::Object joined = audit_line_of(news(), "group_joined");
    CHECK(text_of(joined, "subject") == subject_of(op, kAlice));
    CHECK(text_of(joined, "group") == "staff");
    CHECK(text_of(joined, "method") == "remote_user");
    const Answer tokens = redeem(op, token_request(done.parameter("code"), kTrusted), kTrusted);
    REQUIRE(tokens.status == 200);
    CHECK(is_active(op, tokens.member("access_token")));

    CHECK(sign_in(staff).verdict() == "code");
    CHECK(audit_events(news()).find("group_") == std::string::npos);
    CHECK(is_active(op, tokens.member("access_token")));

    CHECK(sign_in(staff + ";" + admins).verdict() == "page 403");  // one value, which is in no map
    const json::Object left = audit_line_of(news(), "group_left");
    CHECK(text_of(left, "group") == "staff");
    CHECK(text_of(left, "grants_ended") == "2");
    CHECK(groups() == R"(["others"])");
    CHECK_FALSE(is_active(op, tokens.member("access_token")));

    sign_in(staff);
    browser.login_variables().erase("MEMBEROF");
    browser.cookies().clear();
    CHECK(browser.authorize(authorization_request(kTrusted)).verdict() == "page 403");  // says none
    sign_in(staff + "; " + std::string(70000, 'x'));
    CHECK(groups() == R"(["others"])");
    CHECK(news().find("\"groups_unusable\"") != std::string::npos);
}

}  // namespace
