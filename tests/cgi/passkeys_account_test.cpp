// Passkeys as a browser adds, names and removes them in the account.
#include <doctest/doctest.h>

#include <string>
#include <thread>

#include "db/database.h"
#include "json/reader.h"
#include "json/writer.h"
#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/passkey_set_up.h"
#include "support/test_authenticator.h"
#include "util/base64.h"

namespace {

using namespace postern::test;
using postern::crypto::Algorithm;
using postern::util::base64url_encode;
using std::chrono::seconds;

Answer send(const Deployment& op, UserAgent& browser, const Query& fields) {
    return browser.send(at(op, "/passkeys"), fields.text());
}

Adding open_form(const Deployment& op, UserAgent& browser) {
    return Adding(browser.fetch(at(op, "/passkeys?add=yes")));
}

Answer add(const Deployment& op, UserAgent& browser, const TestAuthenticator& authenticator) {
    return send(op, browser, open_form(op, browser).form(authenticator));
}

Answer press(const Deployment& op, UserAgent& browser, const Query& fields) {
    const Answer shown = browser.fetch(at(op, "/passkeys?add=yes"));  // has a form always
    REQUIRE(shown.status == 200);
    return send(op, browser, fields.with("csrf", value_of(shown, "csrf")));
}

/// What the page tells the browser of the passkeys that there are.
std::string accepted_in(const Answer& page) {
    for (const char* tag : {"ul", "p"})
        for (const Attributes& element : find_tags(page.body, tag))
            if (element.contains("data-accepted")) return element.at("data-accepted");
    return "";
}

std::string cell(const Deployment& op, const std::string& sql) {
    postern::db::Database database(op.database(), postern::db::Access::query_only);
    auto row = database.prepare(sql.c_str());
    REQUIRE(row.step());
    return row.text(0);
}

}  // namespace

TEST_CASE("passkeys: one of each algorithm is added, the first with recovery codes [WEBAUTHN-3, 5, 8, 10, CODE-2]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    CHECK(says(alice.fetch(at(op, "")), "Passkeys none"));
    CHECK(says(alice.fetch(at(op, "/passkeys")), "You have no passkey yet."));

    const Answer first = add(op, alice, TestAuthenticator(Algorithm::ES256, "first"));
    REQUIRE(first.status == 200);
    CHECK(first.header("Cache-Control") == "no-store");
    CHECK(says(first, "Your passkey is added."));
    CHECK(codes_in(first).size() == 10);
    CHECK(audit_events(first.log) == "passkey_added recovery_codes_made");
    CHECK(says(alice.fetch(at(op, "/activity")), "Added a passkey: "));  // POLICY-5
    CHECK(says(alice.fetch(at(op, "/activity")), "Made recovery codes"));
    CHECK(op.count_rows("spent_challenges") == 1);

    for (const auto& [algorithm, id] : {std::pair{Algorithm::EdDSA, "second"}, std::pair{Algorithm::RS256, "third"}}) {
        const Answer next = add(op, alice, TestAuthenticator(algorithm, id));
        CHECK(next.location() == at(op, "/passkeys?done=passkey-added"));
        CHECK(audit_events(next.log) == "passkey_added");
    }
    CHECK(op.count_rows("passkeys") == 3);
    CHECK(op.count_rows("recovery_codes") == 10);
    CHECK(says(alice.fetch(at(op, "")), "Passkeys 3"));
    CHECK(says(alice.fetch(at(op, "")), "Recovery codes left: 10"));
    const Answer list = alice.fetch(at(op, "/passkeys?done=passkey-added"));
    CHECK(says(list, "Your passkey is added."));
    CHECK(says(list, "My phone"));
    CHECK(says(list, "on one device only"));
    // The password managers are told what there is.
    CHECK(list.body.find("allAcceptedCredentialIds") != std::string::npos);
    CHECK(alice.fetch(at(op, "/passkeys")).body.find("allAcceptedCredentialIds") == std::string::npos);
}

TEST_CASE(
    "passkeys: what the browser is told, and what is kept of its answer [WEBAUTHN-4, 17, 23, 29, WebAuthn §7.1lq, §14.6.1]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    const Adding form = open_form(op, alice);
    CHECK(op.count_rows("spent_challenges") == 0);
    CHECK(cell(op, "SELECT count(*) FROM users WHERE handle <> ''") == "0");
    CHECK(form.challenge.size() == 32);
    CHECK(form.handle.size() == 32);
    const std::string text = postern::json::write(form.options);
    for (const char* part :
         {R"("rp":{"id":"op.example","name":"op.example"})", R"("name":"alice")",
          R"([{"type":"public-key","alg":-7},{"type":"public-key","alg":-8},{"type":"public-key","alg":-257}])",
          R"("timeout":300000)", R"("excludeCredentials":[])", R"("residentKey":"preferred")",
          R"("userVerification":"preferred")", R"("attestation":"none")", R"("extensions":{"credProps":true})"}) {
        CAPTURE(part);
        CHECK(text.find(part) != std::string::npos);
    }
    CHECK(text.find(subject_of(op, kAlice)) == std::string::npos);
    CHECK(form.page.header("Content-Security-Policy").find("script-src 'sha256-") != std::string::npos);

    TestAuthenticator phone(Algorithm::ES256, "phone");
    phone.flags = kUserPresent | kUserVerified | kBackupEligible | kBackedUp;
    phone.counter = 7;
    CHECK(send(op, alice,
               form.form(phone).with("transports", "usb NFC hybrid").with("discoverable", "no").with("name", ""))
              .status == 200);
    CHECK(cell(op, "SELECT handle FROM users WHERE username = 'alice'") == base64url_encode(form.handle));
    CHECK(cell(op,
               "SELECT rp_id || ' ' || alg || ' ' || sign_count || ' ' || backup_eligible || ' ' || backed_up ||"
               " ' ' || discoverable || ' ' || transports FROM passkeys") == "op.example -7 7 1 1 0 usb hybrid");
    CHECK(cell(op, "SELECT credential_id FROM passkeys") == base64url_encode("phone"));
    CHECK(cell(op, "SELECT name FROM passkeys").starts_with("Passkey, "));
    CHECK(says(alice.fetch(at(op, "/passkeys")), "synchronised"));

    const Adding next = open_form(op, alice);
    CHECK(next.handle == form.handle);
    CHECK(next.challenge != form.challenge);
    CHECK(postern::json::write(next.options)
              .find(R"("excludeCredentials":[{"type":"public-key","id":")" + base64url_encode("phone") +
                    R"(","transports":["usb","hybrid"]}])") != std::string::npos);
}

TEST_CASE("passkeys: a challenge counts once, as does a page that was open before the first one [WEBAUTHN-3, 10]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    const Adding form = open_form(op, alice);
    const Adding other = open_form(op, alice);
    REQUIRE(form.handle != other.handle);
    const Query sent = form.form(TestAuthenticator(Algorithm::ES256, "phone"));
    REQUIRE(send(op, alice, sent).status == 200);
    // A second press says what the first has done, and makes no codes.
    const Answer again = send(op, alice, sent);
    CHECK(again.location() == at(op, "/passkeys?done=passkey-added"));
    CHECK(audit_events(again.log) == "");
    // The same challenge is good for no other passkey.
    const Answer replayed = send(op, alice, form.form(TestAuthenticator(Algorithm::ES256, "another")));
    CHECK(says(replayed, "That passkey was not accepted."));
    CHECK(replayed.log.find("the challenge was spent before") != std::string::npos);
    // The page that made another handle is late.
    CHECK(says(send(op, alice, other.form(TestAuthenticator(Algorithm::ES256, "other"))), "changed meanwhile"));
    CHECK(op.count_rows("passkeys") == 1);
    CHECK(op.count_rows("recovery_codes") == 10);
}

TEST_CASE("passkeys: a credential id is of one user, and there are 20 at most [WEBAUTHN-9, WebAuthn §7.1p]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    UserAgent bob = signed_in(op, kBob, kBobPassword);
    const TestAuthenticator phone(Algorithm::ES256, "passkey 0");
    REQUIRE(add(op, alice, phone).status == 200);
    const Answer taken = add(op, bob, phone);
    CHECK(says(taken, "That passkey was not accepted."));
    CHECK(taken.log.find("the credential id is one of another passkey") != std::string::npos);
    CHECK(op.count_rows("passkeys") == 1);
    CHECK(cell(op, "SELECT count(*) FROM users WHERE handle <> ''") == "1");

    for (int number = 1; number < 19; ++number)
        REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "passkey " + std::to_string(number))).status == 303);
    const Adding late = open_form(op, alice);
    REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "passkey 19")).status == 303);
    const Answer refused = send(op, alice, late.form(TestAuthenticator(Algorithm::ES256, "passkey 20")));
    CHECK(says(refused, "as many passkeys as there can be"));
    CHECK_FALSE(has_id(refused.body, "add"));
    CHECK_FALSE(has_id(alice.fetch(at(op, "/passkeys?add=yes")).body, "add"));
    CHECK(op.count_rows("passkeys") == 20);
    CHECK(press(op, alice, {{"remove", base64url_encode("passkey 7")}}).status == 303);
    CHECK(add(op, alice, TestAuthenticator(Algorithm::ES256, "passkey 20")).status == 303);
    CHECK(op.count_rows("passkeys") == 20);
}

TEST_CASE(
    "passkeys: named and removed by their owner alone; the codes end with the last factor [WEBAUTHN-23, CODE-5]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    UserAgent bob = signed_in(op, kBob, kBobPassword);
    REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "phone")).status == 200);
    REQUIRE(add(op, alice, TestAuthenticator(Algorithm::EdDSA, "key")).status == 303);
    const std::string phone = base64url_encode("phone");

    const Query rename = {{"rename", phone}, {"name", "  Old \xe2\x80\xae phone  "}};
    CHECK(press(op, bob, rename).location() == at(op, "/passkeys"));
    CHECK(cell(op, "SELECT count(*) FROM passkeys WHERE name = 'My phone'") == "2");
    CHECK(press(op, alice, rename).location() == at(op, "/passkeys?done=passkey-named"));
    CHECK(says(alice.fetch(at(op, "/passkeys")), "Old phone"));
    CHECK(press(op, alice, rename.with("name", std::string(64, 'y'))).status == 303);
    CHECK(says(press(op, alice, rename.with("name", std::string(65, 'y'))), "at most 64 characters"));
    CHECK(press(op, alice, rename.without("name")).location() == at(op, "/passkeys"));
    CHECK(press(op, alice, rename.with("rename", "*")).status == 400);
    CHECK(cell(op, "SELECT count(*) FROM passkeys WHERE name = '" + std::string(64, 'y') + "'") == "1");

    const Answer foreign = press(op, bob, {{"remove", phone}});
    CHECK(audit_events(foreign.log) == "");
    CHECK(op.count_rows("passkeys") == 2);
    CHECK_FALSE(says(alice.fetch(at(op, "/passkeys")), "Your recovery codes end with it."));
    const Answer removed = press(op, alice, {{"remove", phone}});
    CHECK(says(alice.fetch(at(op, "/passkeys")), "Your recovery codes end with it."));
    CHECK(removed.location() == at(op, "/passkeys?done=passkey-removed"));
    CHECK(audit_events(removed.log) == "passkey_removed");
    CHECK(audit_events(press(op, alice, {{"remove", phone}}).log) == "");
    CHECK(op.count_rows("recovery_codes") == 10);

    // With an app the codes stay when the last passkey goes, and with a passkey when the app goes.
    const auto turn_app_on = [&] {
        const SetUp app(alice.fetch(at(op, "/app")));
        CHECK(alice.send(at(op, "/app"), app.form(app.code(op)).text()).location() == at(op, "/app?done=app-on"));
    };
    const auto turn_app_off = [&] {
        const std::string csrf = value_of(alice.fetch(at(op, "/app")), "csrf");
        const Query form = {{"csrf", csrf}, {"remove", "yes"}};
        CHECK(alice.send(at(op, "/app"), form.text()).status == 303);
    };
    turn_app_on();
    CHECK_FALSE(says(alice.fetch(at(op, "/app")), "Your recovery codes end with it."));
    turn_app_off();
    CHECK(op.count_rows("recovery_codes") == 10);
    turn_app_on();
    CHECK(press(op, alice, {{"remove", base64url_encode("key")}}).status == 303);
    CHECK(op.count_rows("passkeys") == 0);
    CHECK(op.count_rows("recovery_codes") == 10);
    turn_app_off();
    CHECK(op.count_rows("recovery_codes") == 0);
}

TEST_CASE("passkeys: the last one goes only if the user can do without [WEBAUTHN-24]") {
    Deployment op;
    UserAgent alice = signed_in(op);
    REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "phone")).status == 200);
    const Query remove = {{"remove", base64url_encode("phone")}};
    REQUIRE(op.postern({"user", "set", kAlice, "--second-factor", "required"}).exit_code == 0);
    const Answer refused = press(op, alice, remove);
    CHECK(says(refused, "This is your only second factor"));
    CHECK(refused.log.find("passkey_change_refused") != std::string::npos);
    CHECK(op.count_rows("passkeys") == 1);
    CHECK(op.count_rows("recovery_codes") == 10);
    REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "key")).status == 303);
    CHECK(press(op, alice, remove).location() == at(op, "/passkeys?done=passkey-removed"));
    CHECK(op.count_rows("passkeys") == 1);
}

TEST_CASE("passkeys: the app and the last passkey, removed at the same moment, do not both go [WEBAUTHN-24, STORE-2]") {
    for (int round = 0; round < 3; ++round) {
        CAPTURE(round);
        const Deployment op;
        UserAgent alice = signed_in(op);
        REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "phone")).status == 200);
        SetUp app(alice.fetch(at(op, "/app")));
        REQUIRE(alice.send(at(op, "/app"), app.form(app.code(op)).text()).status == 303);
        op.must({"user", "set", kAlice, "--second-factor", "required"});
        UserAgent other = alice;  // another tab
        const Query remove_app = {{"remove", "yes"}, {"csrf", value_of(alice.fetch(at(op, "/app")), "csrf")}};
        const Query remove_passkey = {{"remove", base64url_encode("phone")},
                                      {"csrf", value_of(alice.fetch(at(op, "/passkeys")), "csrf")}};
        std::thread one([&] { alice.send(at(op, "/app"), remove_app.text()); });
        std::thread two([&] { other.send(at(op, "/passkeys"), remove_passkey.text()); });
        one.join();
        two.join();
        CHECK(op.count_rows("passkeys") + op.count_rows("totp_secrets") == 1);
        CHECK(op.count_rows("recovery_codes") == 10);
    }
}

TEST_CASE("passkeys: the last way in is one that is found without a name [WEBAUTHN-24]") {
    struct Row {
        const char* what;
        const char* discoverable;  ///< of the passkey that would be left
        const char* change;        ///< to it, or ""
        bool is_enough;
    };
    const Row rows[] = {
        {"one that its authenticator keeps", "yes", "", true},
        {"one of which the browser did not say", "", "", true},
        {"a key of U2F", "no", "", false},
        {"suspended", "yes", "UPDATE passkeys SET suspended_at = 1 WHERE name = 'Other'", false},
        {"for a former host", "yes", "UPDATE passkeys SET rp_id = 'old.example' WHERE name = 'Other'", false},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Deployment op;
        UserAgent alice = signed_in(op);
        REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "phone")).status == 200);
        const Query other = open_form(op, alice).form(TestAuthenticator(Algorithm::ES256, "other"));
        REQUIRE(send(op, alice, other.with("discoverable", row.discoverable).with("name", "Other")).status == 303);
        if (*row.change) change_database(op, row.change);
        change_database(op, "UPDATE users SET password_hash = '' WHERE username = 'alice'");
        const Answer answer = press(op, alice, {{"remove", base64url_encode("phone")}});
        CHECK((answer.status == 303) == row.is_enough);
        CHECK(says(answer, "Without this passkey you could not sign in any more.") != row.is_enough);
        CHECK(op.count_rows("passkeys") == (row.is_enough ? 1 : 2));
        // The other one may go as long as the first is there, and the last of all stays.
        CHECK((press(op, alice, {{"remove", base64url_encode("other")}}).status == 303) != row.is_enough);
    }
}

TEST_CASE("passkeys: password managers keep one that is suspended, and forget one of a former host [WEBAUTHN-26, 15]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "good")).status == 200);
    for (const char* id : {"suspended", "former", "gone"})
        REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, id)).status == 303);
    change_database(
        op, "UPDATE passkeys SET suspended_at = 1 WHERE credential_id = '" + base64url_encode("suspended") + "'");
    change_database(
        op, "UPDATE passkeys SET rp_id = 'old.example' WHERE credential_id = '" + base64url_encode("former") + "'");
    const Answer removed = press(op, alice, {{"remove", base64url_encode("gone")}});
    REQUIRE(removed.status == 303);
    const Answer list = alice.fetch(removed.location());
    CHECK(accepted_in(list) == R"({"rpId":"op.example","userId":")" +
                                   cell(op, "SELECT handle FROM users WHERE username = 'alice'") +
                                   R"(","allAcceptedCredentialIds":[")" + base64url_encode("good") + R"(",")" +
                                   base64url_encode("suspended") + R"("]})");
    CHECK(accepted_in(alice.fetch(at(op, "/passkeys"))).empty());
}

TEST_CASE("passkeys: the name that was typed is there again after a refusal [A11Y-4, WCAG 2.2 3.3.7]") {
    const Deployment op;
    UserAgent alice = signed_in(op);
    const Adding form = open_form(op, alice);
    CHECK(value_of(form.page, "name").starts_with("Passkey, "));
    const Query sent = form.form(TestAuthenticator(Algorithm::ES256, "phone"));
    for (const std::string& name : {std::string("Ada's <key>"), std::string(65, 'x')}) {
        const Answer again = send(op, alice, sent.with("challenge", "x").with("name", name));
        REQUIRE(again.status == 200);
        CHECK(value_of(again, "name") == name);
    }
    CHECK(value_of(send(op, alice, sent.with("challenge", "x").with("name", " ")), "name").starts_with("Passkey, "));
}

TEST_CASE("passkeys: one of a former host is listed as such, and is not asked for [WEBAUTHN-25]") {
    Deployment op;
    UserAgent alice = signed_in(op);
    REQUIRE(add(op, alice, TestAuthenticator(Algorithm::ES256, "phone")).status == 200);
    const auto second_page = [&] {
        UserAgent browser(op);
        const Landing page = browser.log_in(browser.authorize(authorization_request()));
        REQUIRE_MESSAGE(page.verdict() == "second step", page.verdict() << page.answer.log);
        return page.answer;
    };
    CHECK(has_id(second_page().body, "use-passkey"));
    op.configure("login", postern::json::Object{{"rpId", "old.example"}});
    const Answer page = second_page();
    CHECK(has_id(page.body, "code"));  // a recovery code
    CHECK_FALSE(has_id(page.body, "use-passkey"));
    CHECK(says(alice.fetch(at(op, "/passkeys")), "for an earlier address of this service"));
}

TEST_CASE("passkeys: there is no page where they are off, or can not be [WEBAUTHN-1]") {
    using postern::json::Object;
    const Object rows[] = {
        {{"login", Object{{"passkeys", "off"}}}},
        {{"login", Object{{"passkeys", "secondFactor"}, {"secondFactor", "off"}}}},
    };
    for (const Object& config : rows) {
        const Deployment op({.config = config});
        UserAgent alice = signed_in(op);
        CHECK_FALSE(says(alice.fetch(at(op, "")), "Passkeys"));
        CHECK(alice.fetch(at(op, "/passkeys")).status == 404);
    }
    // Without second factors they are for the login alone, and there are no codes.
    const Deployment op({.config = {{"login", Object{{"secondFactor", "off"}}}}});
    UserAgent alice = signed_in(op);
    CHECK(add(op, alice, TestAuthenticator(Algorithm::ES256, "phone")).status == 303);
    CHECK(op.count_rows("passkeys") == 1);
    CHECK(op.count_rows("recovery_codes") == 0);
    CHECK_FALSE(says(alice.fetch(at(op, "")), "Recovery codes"));
}
