// An authenticator app and recovery codes as a browser sets them up, replaces and removes them in the account.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"

namespace {

using namespace postern::test;
using std::chrono::seconds;
namespace fs = std::filesystem;

SetUp set_up(const Deployment& op, UserAgent& browser) { return SetUp(browser.fetch(at(op, "/app"))); }
SetUp set_up_another(const Deployment& op, UserAgent& browser) {
    return SetUp(browser.fetch(at(op, "/app?another=yes")));
}

Answer send(const Deployment& op, UserAgent& browser, const std::string& page, const Query& fields) {
    return browser.send(at(op, page), fields.text());
}

/// An app that is on, with its recovery codes.
struct Enrolled {
    Deployment op;
    UserAgent alice = signed_in(op);
    SetUp app = set_up(op, alice);
    Answer answer = send(op, alice, "/app", app.form(app.code(op)));
    std::vector<std::string> codes = codes_in(answer);

    Enrolled() {
        REQUIRE(answer.status == 200);
        REQUIRE(codes.size() == 10);
    }
    Answer press(const std::string& page, const Query& fields, const std::string& query = "") {
        const Answer shown = alice.fetch(at(op, page + query));
        REQUIRE(shown.status == 200);
        return send(op, alice, page, fields.with("csrf", value_of(shown, "csrf")));
    }
    Answer ask_for_codes() { return alice.fetch(at(op, "/codes?new=yes")); }
    Answer make_codes(const Answer& asked) {
        return send(op, alice, "/codes", {{"csrf", value_of(asked, "csrf")}, {"stamp", value_of(asked, "stamp")}});
    }
};

}  // namespace

TEST_CASE("app: set up with a code of the key on its page, and ten recovery codes are shown [TOTP-1, TOTP-4, CODE-1]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    CHECK(says(alice.fetch(at(op, "")), "Authenticator app off"));
    const SetUp app = set_up(op, alice);
    CHECK(app.key.size() == 32);
    CHECK(app.page.body.find("otpauth://totp/op.example:alice?secret=" + app.key) != std::string::npos);
    CHECK(app.page.header("Cache-Control") == "no-store");
    const Answer answer = send(op, alice, "/app", app.form(app.code(op)));
    REQUIRE(answer.status == 200);
    CHECK(answer.header("Cache-Control") == "no-store");
    CHECK(says(answer, "Your app is on."));
    const auto codes = codes_in(answer);
    CHECK(codes.size() == 10);
    CHECK(std::set<std::string>(codes.begin(), codes.end()).size() == 10);
    for (const std::string& code : codes) {
        CHECK(code.size() == 16);
        CHECK(code.find_first_not_of("0123456789") == std::string::npos);
    }
    CHECK(audit_events(answer.log) == "app_added recovery_codes_made");
    for (const postern::json::Object& line : audit_lines(answer.log)) {
        CHECK(text_of(line, "subject") == subject_of(op, kAlice));
        CHECK(text_of(line, "session") != "");
    }
    const Answer overview = alice.fetch(at(op, ""));
    CHECK(says(overview, "Authenticator app on"));
    CHECK(says(overview, "Recovery codes left: 10"));
    CHECK(says(alice.fetch(at(op, "/app")), "On since"));
    CHECK(says(alice.fetch(at(op, "/codes")), "Codes left: 10"));
    CHECK(op.count_rows("totp_secrets") == 1);
    CHECK(op.count_rows("recovery_codes") == 10);
}

TEST_CASE("app: a code that is not right turns nothing on, and the same key is shown again [TOTP-4, TOTP-8]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    const SetUp app = set_up(op, alice);
    const std::string right = app.code(op);
    const std::pair<std::string, std::string> rows[] = {
        {app.wrong_code(op), "not right"},
        {"", "not right"},
        {right + "0", "not right"},
    };
    for (const auto& [code, problem] : rows) {
        CAPTURE(code);
        const Answer answer = send(op, alice, "/app", app.form(code));
        CHECK(answer.status == 200);
        CHECK(says(answer, problem));
        CHECK(codes_in(answer) == std::vector<std::string>{app.key});
        CHECK(value_of(answer, "app") == value_of(app.page, "app"));
        CHECK(audit_events(answer.log) == "");
    }
    CHECK(op.count_rows("totp_secrets") == 0);
    CHECK(op.count_rows("recovery_codes") == 0);
    std::string full_width;
    for (const char digit : right) full_width += std::string("\xef\xbc") + static_cast<char>(0x90 + (digit - '0'));
    const std::string grouped = right.substr(0, 3) + " - " + full_width.substr(9);
    CHECK(says(send(op, alice, "/app", app.form(grouped)), "Your app is on."));
}

TEST_CASE("app: the form that turned it on says so when it comes again, and makes no second set of codes [TOTP-4]") {
    Enrolled f;
    const Answer again = send(f.op, f.alice, "/app", f.app.form(f.app.code(f.op)));
    CHECK(again.status == 303);
    CHECK(again.location() == at(f.op, "/app?done=app-on"));
    CHECK(audit_events(again.log) == "");
    CHECK(says(f.alice.fetch(again.location()), "Your app is on."));
    CHECK(f.op.count_rows("recovery_codes") == 10);
    CHECK(f.press("/app", {{"remove", "yes"}}).status == 303);
    const Answer late = send(f.op, f.alice, "/app", f.app.form(f.app.code(f.op)));
    CHECK(late.status == 200);
    CHECK(says(late, "changed meanwhile"));
    CHECK(f.op.count_rows("totp_secrets") == 0);
}

TEST_CASE("app: a new one replaces the old one with its first right code, not before [TOTP-7]") {
    Enrolled f;
    const SetUp fresh = set_up_another(f.op, f.alice);
    CHECK(fresh.key != f.app.key);
    CHECK(says(send(f.op, f.alice, "/app", fresh.form(f.app.code(f.op))), "not right"));
    CHECK(says(send(f.op, f.alice, "/app", fresh.form(fresh.wrong_code(f.op))), "not right"));
    // The old one is the one that the old form has.
    CHECK(send(f.op, f.alice, "/app", f.app.form(f.app.code(f.op))).location() == at(f.op, "/app?done=app-on"));
    const Answer answer = send(f.op, f.alice, "/app", fresh.form(fresh.code(f.op)));
    CHECK(answer.location() == at(f.op, "/app?done=app-on"));
    CHECK(audit_events(answer.log) == "app_added");
    CHECK(f.op.count_rows("totp_secrets") == 1);
    CHECK(f.op.count_rows("recovery_codes") == 10);
    CHECK(says(send(f.op, f.alice, "/app", f.app.form(f.app.code(f.op))), "changed meanwhile"));
    CHECK(send(f.op, f.alice, "/app", fresh.form(fresh.code(f.op))).location() == at(f.op, "/app?done=app-on"));
}

TEST_CASE("app: the account shows when it was last used [ACCOUNT-10]") {
    Deployment op;
    UserAgent alice = signed_in(op);
    const SetUp app = set_up(op, alice);
    REQUIRE(send(op, alice, "/app", app.form(app.code(op))).status == 200);
    CHECK_FALSE(says(alice.fetch(at(op, "/app")), "Last used"));
    op.advance(seconds(30));
    UserAgent other(op);
    const Landing code = other.log_in(other.open(at(op, "/app")));
    const Landing page = other.submit(code, "verify", {{"code", app.code(op)}});
    CHECK_MESSAGE(says(page.answer, "Last used"), page.verdict() << page.answer.log);
}

TEST_CASE("codes: new ones end all of before, after a question, and a second press makes none [CODE-5]") {
    Enrolled f;
    const Answer asked = f.ask_for_codes();
    CHECK(says(asked, "The codes that you have now end."));
    const Answer made = f.make_codes(asked);
    REQUIRE(made.status == 200);
    CHECK(made.header("Cache-Control") == "no-store");
    const auto fresh = codes_in(made);
    CHECK(fresh.size() == 10);
    for (const std::string& code : f.codes) CHECK(std::ranges::find(fresh, code) == fresh.end());
    CHECK(audit_events(made.log) == "recovery_codes_made");
    CHECK(f.op.count_rows("recovery_codes") == 10);
    const Answer again = f.make_codes(asked);
    CHECK(again.location() == at(f.op, "/codes?done=codes-shown-once"));
    CHECK(audit_events(again.log) == "");
    const Answer page = f.alice.fetch(again.location());
    CHECK(says(page, "shown once"));
    CHECK(codes_in(page).empty());
    CHECK(says(page, "New codes"));
}

TEST_CASE("codes: there are none without a second factor, and a form without a number makes none [CODE-2]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    for (const std::string query : {"", "?new=yes"}) {
        const Answer page = alice.fetch(at(op, "/codes") + query);
        CHECK(page.status == 200);
        CHECK(says(page, "You get recovery codes when you set up an authenticator app or a passkey."));
        CHECK_FALSE(has_id(page.body, "make"));
    }
    Enrolled f;
    const std::string token = value_of(f.ask_for_codes(), "csrf");
    for (const std::string stamp : {"", "x", "-1", "1 ", "99999999999999999999"}) {
        CAPTURE(stamp);
        CHECK(send(f.op, f.alice, "/codes", {{"csrf", token}, {"stamp", stamp}}).status == 400);
    }
    for (const std::string stamp : {"0", "2", "7"})
        CHECK(send(f.op, f.alice, "/codes", {{"csrf", token}, {"stamp", stamp}}).status == 303);
    CHECK(f.make_codes(f.ask_for_codes()).status == 200);
}

TEST_CASE("app: removing it removes the recovery codes, for this user alone [CODE-5, ACCOUNT-16]") {
    Enrolled f;
    UserAgent bob = signed_in(f.op, kBob, kBobPassword);
    const SetUp of_bob = set_up(f.op, bob);
    REQUIRE(send(f.op, bob, "/app", of_bob.form(of_bob.code(f.op))).status == 200);
    REQUIRE(f.op.count_rows("recovery_codes") == 20);
    const Answer asked = f.ask_for_codes();
    CHECK(says(f.alice.fetch(at(f.op, "/app")), "Your recovery codes end with it."));
    const Answer removed = f.press("/app", {{"remove", "yes"}});
    CHECK(removed.location() == at(f.op, "/app?done=app-removed"));
    CHECK(audit_events(removed.log) == "app_removed");
    CHECK(f.op.count_rows("totp_secrets") == 1);
    CHECK(f.op.count_rows("recovery_codes") == 10);
    CHECK(says(f.alice.fetch(removed.location()), "Your app is removed."));
    CHECK(says(bob.fetch(at(f.op, "")), "Recovery codes left: 10"));
    // The question that was open leads to the page, which says that there are none.
    CHECK(f.make_codes(asked).location() == at(f.op, "/codes"));
    CHECK(f.op.count_rows("recovery_codes") == 10);
    const Answer again = f.press("/app", {{"remove", "yes"}});
    CHECK(again.location() == at(f.op, "/app?done=app-removed"));
    CHECK(audit_events(again.log) == "");
}

TEST_CASE("factors: neither adding nor removing ends other sessions and tokens [ACCOUNT-10]") {
    const SignedIn before;
    UserAgent alice = signed_in(before.op);
    UserAgent elsewhere = signed_in(before.op);
    const SetUp app = set_up(before.op, alice);
    REQUIRE(send(before.op, alice, "/app", app.form(app.code(before.op))).status == 200);
    const std::string token = value_of(alice.fetch(at(before.op, "/app")), "csrf");
    REQUIRE(send(before.op, alice, "/app", {{"csrf", token}, {"remove", "yes"}}).status == 303);
    CHECK(elsewhere.fetch(at(before.op, "")).status == 200);
    CHECK(is_active(before.op, before.access_token()));
}

TEST_CASE("factors: without factor.key the page says that apps are not set up here, and an app can be removed") {
    Enrolled f;
    const SetUp fresh = set_up_another(f.op, f.alice);
    const Answer asked = f.ask_for_codes();
    fs::remove(f.op.keys_directory() / "factor.key");
    for (const Answer& answer :
         {f.alice.fetch(at(f.op, "/app?another=yes")), send(f.op, f.alice, "/app", fresh.form(fresh.code(f.op)))}) {
        CHECK(answer.status == 200);
        CHECK(says(answer, "Ask the administrator"));
        CHECK_FALSE(has_id(answer.body, "key"));
    }
    for (const Answer& answer : {f.ask_for_codes(), f.make_codes(asked)}) {
        CHECK(answer.status == 200);
        CHECK(says(answer, "Ask the administrator"));
        CHECK(says(answer, "Codes left: 10"));
    }
    CHECK(says(f.alice.fetch(at(f.op, "/app")), "On since"));
    CHECK(f.press("/app", {{"remove", "yes"}}).location() == at(f.op, "/app?done=app-removed"));
    CHECK(f.op.count_rows("totp_secrets") == 0);
}

TEST_CASE("overview: with two codes or fewer it says to make new ones [CODE-4]") {
    Enrolled f;
    const auto keep = [&](int left) {
        change_database(f.op, "UPDATE recovery_codes SET used_at = NULL");
        change_database(f.op,
                        "UPDATE recovery_codes SET used_at = 1 WHERE code_hash IN (SELECT code_hash FROM recovery_codes"
                        " ORDER BY code_hash LIMIT " +
                            std::to_string(10 - left) + ")");
        return f.alice.fetch(at(f.op, ""));
    };
    CHECK_FALSE(says(keep(3), "make new ones"));
    CHECK(says(keep(3), "Recovery codes left: 3"));
    CHECK(says(keep(2), "Recovery codes left: 2. Make new ones"));
    CHECK(says(keep(1), "Recovery codes left: 1. Make new ones"));
    CHECK(says(keep(0), "Recovery codes left: 0. Make new ones"));
    CHECK(says(f.alice.fetch(at(f.op, "/codes")), "Codes left: 0"));
}

TEST_CASE("factors: neither database nor log has a key or a code [STORE-3]") {
    Enrolled f;
    const fs::path log = f.op.directory() / "postern.log";
    f.op.configure("log", postern::json::Object{{"target", log.string()}, {"level", "debug"}});
    const SetUp fresh = set_up_another(f.op, f.alice);
    std::string logs = f.answer.log;
    logs += send(f.op, f.alice, "/app", fresh.form(fresh.wrong_code(f.op))).log;
    logs += send(f.op, f.alice, "/app", fresh.form(fresh.code(f.op))).log;
    const Answer made = f.make_codes(f.ask_for_codes());
    REQUIRE(made.status == 200);
    logs += made.log + read_file(log);
    REQUIRE(logs.find("recovery_codes_made") != std::string::npos);
    std::vector<std::string> secrets = {
        f.app.key, fresh.key, f.app.bytes(), fresh.bytes(), value_of(fresh.page, "app"),
    };
    for (const auto& codes : {f.codes, codes_in(made)}) secrets.insert(secrets.end(), codes.begin(), codes.end());
    const std::string stored = f.op.stored();
    for (const std::string& secret : secrets) {
        REQUIRE(secret.size() >= 16);
        CHECK(stored.find(secret) == std::string::npos);
        CHECK(logs.find(secret) == std::string::npos);
    }
}
