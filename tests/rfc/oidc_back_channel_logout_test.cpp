// OpenID Connect Back-Channel Logout 1.0: which clients are told of the end of a session, by every program that can end
// one. What is sent to them is in tests/security/session_deliver.test.mjs.
#include <doctest/doctest.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "has.h"
#include "support/flow.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace json = postern::json;

constexpr const char* kOut = "https://app.example/backchannel";
constexpr const char* kNewPassword = "four words in a row";

json::Object told_by(json::Object more = {}) {
    more.set("outbound", json::Object{{"enabled", true}});
    more.set("backchannelLogout", true);
    return more;
}

/// A provider that tells the clients `web` and `other` of ended sessions.
struct Told {
    Deployment op;

    explicit Told(json::Object more = {}) : op(Deployment::Options{.config = told_by(std::move(more))}) {
        op.must({"client", "set", kWeb, "--backchannel-logout-uri", kOut});
        op.must({"client", "set", kOther, "--backchannel-logout-uri", "https://other.example/backchannel"});
    }
    std::int64_t notes() const { return op.count_rows("session_clients"); }
    std::int64_t waiting() const { return op.count_rows("logout_outbox"); }
    void log_out(UserAgent& browser) const {
        browser.submit(browser.open(op.url("logout")), "logout");
        REQUIRE(browser.session_cookie().empty());
    }
};

Query offline(const std::string& client = kWeb) {
    return authorization_request(client).with("scope", "openid offline_access").with("prompt", "consent");
}

Answer refresh(const Deployment& op, const json::Object& tokens) {
    return redeem(op, {{"grant_type", "refresh_token"}, {"refresh_token", text_of(tokens, "refresh_token")}});
}

/// A page of the account, with a login that is new enough for a change.
void press(const Deployment& op, UserAgent& browser, const std::string& page, const std::string& fields) {
    const std::string url = at(op, page);
    const Landing there = browser.open(url);
    REQUIRE_MESSAGE(there.answer.status == 200, there.answer.log);
    const auto begin = there.answer.body.find("name=\"csrf\" value=\"");
    REQUIRE(begin != std::string::npos);
    const auto value = begin + std::string("name=\"csrf\" value=\"").size();
    const std::string csrf = there.answer.body.substr(value, there.answer.body.find('"', value) - value);
    CHECK(browser.send(url, "csrf=" + csrf + "&" + fields).status == 303);
}

}  // namespace

TEST_CASE(
    "back-channel logout: discovery names it where it is on, and nowhere else [BCL-8, COM-3, Back-Channel Logout §2.1a]") {
    const Told on;
    const json::Object document = on.op.cgi("discovery").json();
    for (const char* member : {"backchannel_logout_supported", "backchannel_logout_session_supported"}) {
        CAPTURE(member);
        REQUIRE(document.find(member));
        CHECK(*document.find(member)->if_bool());
        CHECK_FALSE(Deployment().cgi("discovery").json().find(member));
    }
}

TEST_CASE("back-channel logout: an address is refused where the option is off, and kept where it was on [BCL-1]") {
    Told f;
    UserAgent alice(f.op);
    f.op.configure("backchannelLogout", false);
    obtain_tokens(f.op, alice, authorization_request());
    CHECK(f.notes() == 0);
    const auto refused = f.op.postern({"client", "set", kSpa, "--backchannel-logout-uri", "https://spa.example/out"});
    CHECK(refused.exit_code == 1);
    CHECK(has(refused.err, "backchannelLogout"));
    CHECK(has(f.op.must({"client", "show", kWeb}), kOut));
    CHECK(has(f.op.postern({"doctor"}).out, "backchannel_logout_uri"));
    f.log_out(alice);
    CHECK(f.waiting() == 0);
}

TEST_CASE(
    "session_clients: a row is made for an ID token with sid of a client that is told [BCL-2, Back-Channel Logout §2.1b, §2.3]") {
    struct Row {
        const char* when;
        void (*act)(const Deployment& op, UserAgent& browser);
        std::int64_t notes;
    };
    const Row rows[] = {
        {"a code", [](auto& op, auto& b) { obtain_tokens(op, b, authorization_request()); }, 1},
        {"a code that is not redeemed", [](auto&, auto& b) { b.obtain_code(authorization_request()); }, 0},
        {"twice",
         [](auto& op, auto& b) {
             obtain_tokens(op, b, authorization_request());
             obtain_tokens(op, b, authorization_request());
         },
         1},
        {"two clients",
         [](auto& op, auto& b) {
             obtain_tokens(op, b, authorization_request());
             obtain_tokens(op, b, authorization_request(kOther), kOther);
         },
         2},
        {"without openid",
         [](auto& op, auto& b) { obtain_tokens(op, b, authorization_request().with("scope", "email")); }, 0},
        {"a client without an address",
         [](auto& op, auto& b) { obtain_tokens(op, b, authorization_request(kTrusted), kTrusted); }, 0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Told f;
        UserAgent alice(f.op);
        row.act(f.op, alice);
        CHECK(f.notes() == row.notes);
        f.log_out(alice);
        CHECK(f.waiting() == row.notes);
        CHECK(f.notes() == 0);
    }
}

TEST_CASE("session_clients: ID tokens of the authorization endpoint count, access tokens do not [BCL-2, HYB-6]") {
    struct Row {
        const char* type;
        std::int64_t notes;
    };
    const Row rows[] = {{"id_token", 1}, {"id_token token", 1}, {"code id_token", 1}, {"token", 0}, {"code token", 0}};
    for (const Row& row : rows) {
        CAPTURE(row.type);
        const Told f({{"responseTypes",
                       json::strings({"code", "token", "id_token", "id_token token", "code id_token", "code token"})}});
        f.op.must({"client", "set", kWeb, "--grant", "authorization_code", "--grant", "implicit", "--response-type",
                   row.type});
        UserAgent alice(f.op);
        const Landing landing = alice.sign_in(authorization_request()
                                                  .with("response_type", row.type)
                                                  .without("code_challenge")
                                                  .without("code_challenge_method"));
        REQUIRE_MESSAGE(landing.left, landing.answer.log);
        CHECK(f.notes() == row.notes);
        f.log_out(alice);
        CHECK(f.waiting() == row.notes);
    }
}

TEST_CASE("a code of an ended session is invalid_grant for a client that is told, offline_access or not [BCL-2, F09]") {
    struct Row {
        const char* client;
        bool offline;
        const char* verdict;
    };
    const Row rows[] = {{kWeb, false, "400 invalid_grant"}, {kWeb, true, "400 invalid_grant"}, {kTrusted, true, "200"}};
    for (const Row& row : rows) {
        CAPTURE(row.client);
        CAPTURE(row.offline);
        const Told f;
        UserAgent alice(f.op);
        const std::string code =
            alice.obtain_code(row.offline ? offline(row.client) : authorization_request(row.client));
        f.log_out(alice);
        CHECK(redeem(f.op, token_request(code, row.client), row.client).verdict() == row.verdict);
        CHECK(f.notes() == 0);
    }
}

TEST_CASE(
    "a refresh behind the session's end gives an ID token without sid, and makes no row [BCL-2, BCL-9, Back-Channel Logout §2.7]") {
    const Told f;
    UserAgent alice(f.op);
    const auto tokens = obtain_tokens(f.op, alice, offline());
    CHECK_FALSE(text_of(jwt_claims(text_of(tokens, "id_token")), "sid").empty());
    const Answer before = refresh(f.op, tokens);
    CHECK_FALSE(text_of(jwt_claims(before.member("id_token")), "sid").empty());
    CHECK(f.notes() == 1);
    f.log_out(alice);
    CHECK(f.waiting() == 1);  // told nonetheless: the client decides
    const Answer behind = refresh(f.op, before.json());
    REQUIRE(behind.verdict() == "200");
    CHECK(jwt_claims(behind.member("id_token")).find("sid") == nullptr);
    CHECK(f.notes() == 0);
}

TEST_CASE(
    "the end of a session is told by every program that ends it, and by nothing else [BCL-3, RP-Initiated Logout §2p]") {
    using End = std::function<void(const Told&, UserAgent&)>;
    struct Row {
        const char* when;
        End end;
        std::int64_t told;  ///< of the clients web and other in one session, web in another
    };
    const auto command = [](std::vector<std::string> words, std::string input = "") -> End {
        return [=](const Told& f, UserAgent&) { f.op.must(words, input); };
    };
    const std::string password = std::string(kNewPassword) + "\n";
    const Row rows[] = {
        {"logout", [](const Told& f, UserAgent& b) { f.log_out(b); }, 2},
        {"account, other devices", [](const Told& f, UserAgent& b) { press(f.op, b, "/devices", "everywhere=yes"); },
         1},
        {"account, password",
         [](const Told& f, UserAgent& b) {
             press(
                 f.op, b, "/password",
                 std::string("present=correct+horse+battery+staple&new=four+words+in+a+row&again=four+words+in+a+row"));
         },
         1},
        {"a link for a new password",
         [](const Told& f, UserAgent&) {
             UserAgent browser(f.op);
             const Landing page = browser.open(link_of(f.op, {"user", "reset-link", kAlice}));
             browser.submit(page, "save", {{"new", kNewPassword}, {"again", kNewPassword}});
         },
         3},
        {"another user at the same browser",
         [](const Told&, UserAgent& b) {
             b.log_in(b.authorize(authorization_request(kTrusted).with("prompt", "login")), kBob, kBobPassword);
         },
         2},
        {"session end", command({"session", "end", "--user", kAlice}), 3},
        {"session end --all", command({"session", "end", "--all"}), 3},
        {"user passwd", command({"user", "passwd", kAlice, "--password-stdin"}, password), 3},
        {"user disable", command({"user", "disable", kAlice}), 3},
        {"user remove", command({"user", "remove", kAlice}), 3},
        {"user import --update",
         command({"user", "import", "--update", "-"}, R"({"username":"alice","password":"four words in a row"})"
                                                      "\n"),
         3},
        {"user import, disabled",
         command({"user", "import", "--update", "-"}, R"({"username":"alice","enabled":false})"
                                                      "\n"),
         3},
        // What ends grants and no session, or keeps the session's sid.
        {"the same user once more",
         [](const Told&, UserAgent& b) {
             b.log_in(b.authorize(authorization_request(kTrusted).with("prompt", "login")));
         },
         0},
        {"consent revoke", command({"consent", "revoke", "--user", kAlice}), 0},
        {"token revoke", command({"token", "revoke", "--user", kAlice}), 0},
        {"client disable", command({"client", "disable", kWeb}), 0},
        {"client for others", command({"client", "set", kWeb, "--allow-user", kBob}), 0},
        {"purge", command({"purge"}), 0},
        {"purge of expired sessions",
         [](const Told& f, UserAgent&) {
             change_database(f.op, "UPDATE sessions SET expires_at = 1");
             f.op.must({"purge"});
             CHECK(f.op.count_rows("sessions") == 0);
         },
         0},
        {"a login behind the expiry",
         [](const Told& f, UserAgent& b) {
             change_database(f.op, "UPDATE sessions SET expires_at = 1");
             b.log_in(b.authorize(authorization_request(kTrusted)));
         },
         0},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Told f;
        UserAgent alice(f.op);
        UserAgent elsewhere(f.op);
        obtain_tokens(f.op, alice, authorization_request());
        obtain_tokens(f.op, alice, authorization_request(kOther), kOther);
        obtain_tokens(f.op, elsewhere, authorization_request());
        REQUIRE(f.notes() == 3);
        row.end(f, alice);
        CHECK(f.waiting() == row.told);
    }
}

TEST_CASE("user factors and passkeys, when they end sessions, tell the clients; import --sync too [BCL-3]") {
    const Told f;
    UserAgent alice(f.op);
    obtain_tokens(f.op, alice, authorization_request());
    change_database(f.op,
                    "INSERT INTO totp_secrets (subject, sealed, last_step, created_at) SELECT subject, 'x', 0, 1 "
                    "FROM users WHERE username = 'alice'");
    const auto removed = f.op.postern({"user", "factors", kAlice, "--remove", "app"});
    CHECK_MESSAGE(removed.exit_code == 0, removed.err);
    CHECK(has(removed.err, "1 application will be told"));
    CHECK(f.waiting() == 1);
}

TEST_CASE("a command says how many applications are told, and the file that wakes the sender changes [BCL-3, BCL-5]") {
    const Told f;
    UserAgent alice(f.op);
    obtain_tokens(f.op, alice, authorization_request());
    obtain_tokens(f.op, alice, authorization_request(kOther), kOther);
    const auto wake = f.op.database_file().parent_path() / "logout.wake";
    const auto ended = f.op.postern({"session", "end", "--user", kAlice, "--json"});
    CHECK(has(ended.out, "\"applications\": 2"));
    CHECK(has(ended.err, "2 applications will be told"));
    CHECK(std::filesystem::exists(wake));
    CHECK(std::filesystem::file_size(wake) == 1);
    std::filesystem::remove(wake);
    obtain_tokens(f.op, alice, authorization_request());
    f.log_out(alice);
    CHECK(std::filesystem::file_size(wake) == 1);
    CHECK(f.waiting() == 3);
}
