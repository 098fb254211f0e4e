// Logging in with a passkey: alone, and behind a password (WebAuthn §7.2).
#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <thread>

#include "db/write.h"
#include "factor/authenticator_data.h"
#include "json/reader.h"
#include "json/writer.h"
#include "store/passkeys.h"
#include "support/app_set_up.h"
#include "support/audit_log.h"
#include "support/flow.h"
#include "support/html.h"
#include "support/test_authenticator.h"
#include "support/whole_answer.h"
#include "util/base64.h"

namespace {

using namespace postern::test;
using postern::crypto::Algorithm;
using postern::util::base64url_decode;
using postern::util::base64url_encode;
namespace db = postern::db;
namespace json = postern::json;
namespace model = postern::model;
namespace store = postern::store;
using std::chrono::seconds;
using Fields = std::map<std::string, std::string>;

constexpr const char* kRefused = "That passkey was not accepted.";
constexpr const char* kOrigin = "https://op.example";
constexpr const char* kRpId = "op.example";

/// What the script of the page gives to the browser.
json::Object options_of(const Answer& page) {
    const auto forms = find_tags(page.body, "form");
    REQUIRE(forms.size() == 1);
    REQUIRE(forms.front().contains("data-options"));
    const auto options = json::parse(forms.front().at("data-options"));
    REQUIRE(options);
    return *options->if_object();
}

std::string challenge_of(const Answer& page) {
    const auto challenge = base64url_decode(text_of(options_of(page), "challenge"));
    REQUIRE(challenge);
    CHECK(challenge->size() == 32);
    return *challenge;
}

/// As the script fills them in.
Fields fields_of(const Assertion& answer) {
    return {{"id", base64url_encode(answer.id)},
            {"client_data", base64url_encode(answer.client_data)},
            {"authenticator_data", base64url_encode(answer.authenticator_data)},
            {"signature", base64url_encode(answer.signature)},
            {"user_handle", base64url_encode(answer.user_handle)}};
}

/// Alice has a passkey, and no session.
struct WithPasskey {
    Deployment op;
    TestAuthenticator key;

    explicit WithPasskey(const Deployment::Options& options = {}) : op(options) { add(key); }
    explicit WithPasskey(const json::Object& login) : WithPasskey(Deployment::Options{.config = {{"login", login}}}) {}

    void write(const std::function<void(db::Transaction&)>& change) const {
        db::Database database(op.database(), db::Access::read_write);
        db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
            change(transaction);
            transaction.commit();
        });
    }
    /// As the account page stores one.
    void add(const TestAuthenticator& made, const char* user = kAlice, const char* rp_id = kRpId) const {
        store::Passkey passkey;
        passkey.credential_id = made.credential_id();
        passkey.subject = model::Subject(subject_of(op, user));
        passkey.rp_id = rp_id;
        passkey.cose_key = made.cose_key();
        passkey.alg = -7;
        passkey.transports = "internal hybrid";
        passkey.aaguid = std::string(16, '\0');
        passkey.name = "Key";
        passkey.created_at = postern::util::Time(seconds(op.now()));
        write([&](db::Transaction& transaction) {
            transaction.run("UPDATE users SET handle = $2 WHERE subject = $1", passkey.subject,
                            base64url_encode(made.stored().user_handle));
            REQUIRE(store::insert_passkey(transaction, passkey));
        });
    }
    store::Passkey stored() const {
        db::Database database(op.database(), db::Access::query_only);
        const auto passkey = store::find_passkey(database, key.credential_id());
        REQUIRE(passkey);
        return *passkey;
    }

    Landing login_page(UserAgent& browser, const Query& request = authorization_request()) const {
        Landing page = browser.authorize(request);
        REQUIRE(page.verdict() == "login");
        return page;
    }
    /// The password is right: the browser is at the second page.
    Landing second_page(UserAgent& browser, const Query& request = authorization_request()) const {
        Landing page = browser.log_in(login_page(browser, request));
        REQUIRE_MESSAGE(page.verdict() == "second step", page.verdict() << page.answer.log);
        return page;
    }
    /// What the authenticator answers to the page.
    Assertion answer(const Landing& page, const std::string& origin = kOrigin, const std::string& rp_id = kRpId) const {
        const std::string challenge = challenge_of(page.answer);
        return key.use({.challenge = challenge, .origin = origin, .rp_id = rp_id});
    }
    Landing give(UserAgent& browser, const Landing& page, const Fields& fields) const {
        return browser.submit(page, "use-passkey", fields);
    }
    /// The same, and no redirect is followed.
    Answer send(UserAgent& browser, const Landing& page) const {
        return browser.send(op.url("login"), browser.form_of(page, "use-passkey", fields_of(answer(page))));
    }
    Landing give(UserAgent& browser, const Landing& page) const { return give(browser, page, fields_of(answer(page))); }
};

/// acr and amr of the ID token behind a login.
std::string worth(const Deployment& op, UserAgent& browser, const Landing& logged_in) {
    const auto claims = id_token_of(op, logged_in.verdict() == "consent" ? browser.approve(logged_in) : logged_in);
    return text_of(claims, "acr") + ": " + amr_of(claims);
}

/// All that a browser gets, but what is drawn anew for each answer.
std::string shown(const Answer& answer) {
    std::string text = whole(answer);
    for (const std::string& drawn : {value_of(answer, "csrf"), value_of(answer, "resume"),
                                     value_of(answer, "challenge"), base64url_encode(challenge_of(answer))}) {
        REQUIRE_FALSE(drawn.empty());
        for (auto at = text.find(drawn); at != text.npos; at = text.find(drawn, at)) text.replace(at, drawn.size(), "");
    }
    return text;
}

void check_refused(const Landing& page, const std::string& reason) {
    CAPTURE(reason);
    CHECK(page.answer.status == 200);
    CHECK(says(page.answer, kRefused));
    CHECK_MESSAGE(page.answer.log.find(reason) != std::string::npos, page.answer.log);
    CHECK_FALSE(page.left);
}

TEST_CASE(
    "passkey: alone it is a login of level 3 [STEP-1, WEBAUTHN-11, LEVEL, RFC 8176 §2, WebAuthn §7.2m, §14.6.2, §14.6.3]") {
    const WithPasskey f;
    UserAgent alice(f.op);
    const Landing page = f.login_page(alice);
    const auto options = options_of(page.answer);
    CHECK(text_of(options, "rpId") == kRpId);
    CHECK(text_of(options, "userVerification") == "required");
    CHECK(options.find("allowCredentials")->if_array()->empty());
    CHECK(page.answer.body.find("autocomplete=\"username webauthn\"") != std::string::npos);
    const Answer sent = f.send(alice, page);
    const auto line = audit_line(sent.log, "login_succeeded");
    CHECK(text_of(line, "method") == "passkey");
    CHECK(text_of(line, "amr") == "pop user mfa");
    CHECK(worth(f.op, alice, alice.follow(f.op.url("login"), sent)) == "phr: pop user mfa");
    CHECK(alice.authorize(authorization_request()).verdict() == "code");
    CHECK(f.stored().last_used_at);
}

TEST_CASE(
    "passkey: behind a password it is a second factor, and a touch is enough [STEP-5, CODE-6, WEBAUTHN-12, WEBAUTHN-14, WebAuthn §7.2m]") {
    struct Row {
        unsigned flags;
        const char* worth;
    };
    for (const Row row :
         {Row{kUserPresent | kUserVerified, "phr: pwd pop user mfa"}, {kUserPresent, "phr: pwd pop user mfa"}}) {
        WithPasskey f;
        UserAgent alice(f.op);
        const Landing page = f.second_page(alice);
        CHECK_FALSE(has_id(page.answer.body, "code"));
        const auto options = options_of(page.answer);
        CHECK(text_of(options, "userVerification") == "discouraged");
        const auto& allowed = *options.find("allowCredentials")->if_array();
        REQUIRE(allowed.size() == 1);
        CHECK(text_of(*allowed[0].if_object(), "id") == base64url_encode(f.key.credential_id()));
        CHECK(json::write(*allowed[0].if_object()->find("transports")) == "[\"internal\",\"hybrid\"]");
        f.key.flags = row.flags;
        CHECK(worth(f.op, alice, f.give(alice, page)) == row.worth);
    }
}

TEST_CASE(
    "passkey: a challenge counts once, for its page, its request and its browser [WEBAUTHN-3, WebAuthn §13.4.3]") {
    const WithPasskey f;
    UserAgent alice(f.op), other(f.op);
    const Landing page = f.login_page(alice);
    const Fields answer = fields_of(f.answer(page));
    Fields stolen = answer;
    stolen["challenge"] = find_form(page.answer.body)->fields["challenge"];
    // Another browser, another request of this one, and its second page.
    check_refused(f.give(other, f.login_page(other), stolen), "the challenge is not one of this page");
    check_refused(f.give(alice, f.login_page(alice), stolen), "the challenge is not one of this page");
    check_refused(f.give(alice, f.second_page(alice), stolen), "the challenge is not one of this page");
    CHECK(f.give(alice, page, answer).verdict() == "consent");
    check_refused(f.give(alice, page, answer), "was used");
    CHECK(f.op.count_rows("sessions") == 1);
}

TEST_CASE("passkey: an answer sent in twice at the same moment starts one session [WEBAUTHN-3, STORE-2]") {
    for (const bool is_alone : {true, false})
        for (int round = 0; round < 4; ++round) {
            CAPTURE(is_alone);
            CAPTURE(round);
            const WithPasskey f;
            UserAgent alice(f.op);
            const Landing page = is_alone ? f.login_page(alice) : f.second_page(alice);
            const Fields answer = fields_of(f.answer(page));
            UserAgent tab = alice;
            Landing first, second;
            std::thread here([&] { first = f.give(alice, page, answer); });
            std::thread there([&] { second = f.give(tab, page, answer); });
            here.join();
            there.join();
            CHECK((first.verdict() == "consent") != (second.verdict() == "consent"));
            CHECK(alice.session_cookie().empty() != tab.session_cookie().empty());
            CHECK(f.op.count_rows("sessions") == 1);
            CHECK_FALSE(f.stored().suspended_at);
        }
}

TEST_CASE("passkey: an answer sent in twice does not suspend one that counts [WEBAUTHN-3, WEBAUTHN-15]") {
    WithPasskey f;
    UserAgent alone(f.op), alice(f.op), copy(f.op);
    const Landing pages[] = {f.login_page(alone), f.second_page(alice)};
    for (const bool is_alone : {true, false}) {
        CAPTURE(is_alone);
        UserAgent& browser = is_alone ? alone : alice;
        const Landing& page = pages[is_alone ? 0 : 1];
        ++f.key.counter;
        const Fields answer = fields_of(f.answer(page));
        CHECK(f.give(browser, page, answer).verdict() == "consent");
        check_refused(f.give(browser, page, answer), "the challenge was spent before");
        CHECK_FALSE(f.stored().suspended_at);
        CHECK(f.stored().sign_count == f.key.counter);
    }
    // The same counter in another answer tells of a copy.
    check_refused(f.give(copy, f.login_page(copy)), "the counter of the passkey has not grown");
    CHECK(f.stored().suspended_at);
}

TEST_CASE("passkey: one that may not be used is refused after its signature [WEBAUTHN-19]") {
    struct Row {
        const char* reason;
        std::function<void(const WithPasskey&)> change;
        /// Where the answer of the second page leads; "": it is refused there too
        const char* second_page = "";
    };
    const auto configured = [](const char* key, const char* value) {
        return [=](const WithPasskey& f) {
            const_cast<Deployment&>(f.op).configure("login", json::Object{{key, value}});
        };
    };
    const Row rows[] = {
        {"the user is disabled",
         [](const WithPasskey& f) {
             f.op.must({"user", "disable", "alice"});
         },
         "login"},
        {"the passkey is suspended",
         [](const WithPasskey& f) { change_database(f.op, "UPDATE passkeys SET suspended_at = 1"); }},
        {"switched off", configured("passkeys", "off")},
        {"another RP ID", configured("rpId", "old.example")},
        {"a passkey alone is no login here", configured("passkeys", "secondFactor"), "consent"},
        {"second factors are switched off", configured("secondFactor", "off"), "login"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.reason));
        const bool is_alone_refused = std::string(row.reason).find("second factors") == std::string::npos;
        for (const bool second : {false, true}) {
            WithPasskey f;
            UserAgent alice(f.op), wrong(f.op);
            const Landing page = second ? f.second_page(alice) : f.login_page(alice);
            const Fields right = fields_of(f.answer(page));
            row.change(f);
            Fields unsigned_answer = right;
            unsigned_answer["signature"] = base64url_encode("none");
            const std::string leads_to = second ? row.second_page : is_alone_refused ? "" : "consent";
            const Landing refused = f.give(alice, page, unsigned_answer);
            // A half login that is void is not looked at.
            if (leads_to != "login") CHECK(refused.answer.log.find("the signature is wrong") != std::string::npos);
            const Landing done = f.give(alice, page, right);
            if (leads_to.empty()) {
                CHECK_MESSAGE(done.answer.log.find(row.reason) != std::string::npos, done.answer.log);
                CHECK(says(done.answer, kRefused));
                CHECK(alice.session_cookie().empty());
            } else {
                CHECK(done.verdict() == leads_to);
                CHECK(alice.session_cookie().empty() == (leads_to == "login"));
            }
        }
    }
}

TEST_CASE("passkey: alone, whose it is and why it is refused is on no page, byte for byte [WEBAUTHN-18, STEP-1]") {
    const auto sent = [](const char* field, const std::string& value) {
        return [=](const WithPasskey&, Fields& fields) { fields[field] = value; };
    };
    const std::pair<const char*, std::function<void(const WithPasskey&, Fields&)>> rows[] = {
        {"no user has that passkey", sent("id", base64url_encode("another"))},
        {"the user is disabled",
         [](const WithPasskey& f, Fields&) {
             f.op.must({"user", "disable", kAlice});
         }},
        {"the passkey is suspended",
         [](const WithPasskey& f, Fields&) { change_database(f.op, "UPDATE passkeys SET suspended_at = 1"); }},
        {"the signature is wrong", sent("signature", base64url_encode("none"))},
        {"the user handle is that of another user", sent("user_handle", base64url_encode(std::string(32, 'x')))},
        {"the challenge is not one of this page", sent("challenge", "AAAA")},
        {"a field of the passkey is not base64url", sent("signature", "a+b/")},
        {"the authenticator data ends too early", sent("authenticator_data", "")},
    };
    std::set<std::string> pages;
    for (const auto& [reason, change] : rows) {
        const WithPasskey f;
        UserAgent alice(f.op);
        const Landing page = f.login_page(alice);
        Fields fields = fields_of(f.answer(page));
        change(f, fields);
        const Landing refused = f.give(alice, page, fields);
        check_refused(refused, reason);
        pages.insert(shown(refused.answer));
    }
    CHECK(pages.size() == 1);
}

TEST_CASE("passkey: alone a touch is not enough, and the page that says so works again [WEBAUTHN-11]") {
    WithPasskey f;
    UserAgent alice(f.op);
    const Landing page = f.login_page(alice);
    f.key.flags = kUserPresent;
    const Landing refused = f.give(alice, page);
    check_refused(refused, "the authenticator did not verify the user");
    CHECK(f.op.count_rows("spent_challenges") == 0);
    f.key.flags = kUserPresent | kUserVerified;
    CHECK(f.give(alice, refused).verdict() == "consent");
}

TEST_CASE("passkey: of another user than the password's it is refused [WEBAUTHN-12, WebAuthn §7.2a]") {
    const WithPasskey f;
    const TestAuthenticator of_bob(Algorithm::ES256, "credential of bob", std::string(32, 'b'));
    f.add(of_bob, kBob);
    UserAgent alice(f.op);
    const Landing page = f.second_page(alice);
    const std::string challenge = challenge_of(page.answer);
    const Landing refused =
        f.give(alice, page, fields_of(of_bob.use({.challenge = challenge, .origin = kOrigin, .rp_id = kRpId})));
    check_refused(refused, "the passkey is of another user than the password");
    CHECK(alice.session_cookie().empty());
}

TEST_CASE("passkey: its owner is told of a suspension, and of a wrong one behind the password [ACCOUNT-13, TOTP-10]") {
    WithPasskey f;
    const auto words = [&] {
        std::string all;
        const auto lines = json::parse(f.op.must({"user", "activity", kAlice, "--json"}));
        for (const json::Value& line : *lines->if_array())
            all = text_of(*line.if_object(), "what") + (all.empty() ? "" : " ") + all;
        return all;
    };
    UserAgent stranger(f.op), thief(f.op, "198.51.100.4"), alice(f.op);
    const Landing first = f.login_page(stranger);
    Fields forged = fields_of(f.answer(first));
    forged["signature"] = base64url_encode("none");
    check_refused(f.give(stranger, first, forged), "the signature is wrong");
    CHECK(words() == "");  // a stranger causes no line
    Landing second = f.second_page(thief);
    for (int i = 0; i < 3; ++i) {
        forged = fields_of(f.answer(second));
        forged["signature"] = base64url_encode("none");
        second = f.give(thief, second, forged);
        check_refused(second, "the signature is wrong");
    }
    CHECK(words() == "second_step_failed_elsewhere");
    f.key.counter = 5;
    CHECK(f.give(alice, f.login_page(alice)).verdict() == "consent");
    UserAgent copy(f.op, "203.0.113.9");
    check_refused(f.give(copy, f.login_page(copy)), "the counter of the passkey has not grown");
    CHECK(words() == "second_step_failed_elsewhere signed_in passkey_suspended");
    CHECK(f.op.must({"user", "activity", kAlice}).find("203.0.113.9") != std::string::npos);
}

TEST_CASE(
    "passkey: answers of two tabs that arrive in the other order suspend nothing [WEBAUTHN-15, WebAuthn §6.1.1]") {
    struct Row {
        const char* when;
        seconds between;  ///< the second page and the login in the first
        bool suspended;
    };
    for (const Row row : {Row{"a copy with a challenge of after the login", seconds(0), true},
                          {"a tab that was there before the login", seconds(1), false},
                          {"and that waited", seconds(200), false}})
        for (const bool is_alone : {true, false}) {
            CAPTURE(row.when);
            CAPTURE(is_alone);
            WithPasskey f;
            const auto open = [&](UserAgent& tab) { return is_alone ? f.login_page(tab) : f.second_page(tab); };
            UserAgent first(f.op), second(f.op);
            const Landing early = open(first), late = open(second);
            f.key.counter = 5;
            const Fields earlier = fields_of(f.answer(early));
            f.key.counter = 6;
            f.op.advance(row.between);
            CHECK(f.give(second, late).verdict() == "consent");
            check_refused(f.give(first, early, earlier), "the counter of the passkey has not grown");
            CHECK(f.stored().suspended_at.has_value() == row.suspended);
            CHECK(f.stored().sign_count == 6);
            if (row.suspended) continue;
            // The same tab, asked again.
            f.key.counter = 7;
            CHECK(f.give(first, open(first)).verdict() == "consent");
            // A copy is found out at its next challenge.
            UserAgent copy(f.op);
            check_refused(f.give(copy, open(copy)), "the counter of the passkey has not grown");
            CHECK(f.stored().suspended_at);
        }
}

TEST_CASE(
    "passkey: the backup flags of this login are kept, and a change of one is told [WEBAUTHN-16, WEBAUTHN-17, WebAuthn §7.2p]") {
    WithPasskey f;
    UserAgent alice(f.op), again(f.op);
    f.key.flags = kUserPresent | kUserVerified | kBackupEligible | kBackedUp;
    const Answer done = f.send(alice, f.login_page(alice));
    CHECK(done.status == 303);
    CHECK(done.log.find("\"event\":\"passkey_changed\"") != std::string::npos);
    CHECK(done.log.find("\"backup_eligible\":\"yes\"") != std::string::npos);
    CHECK(f.stored().backup_eligible);
    CHECK(f.stored().backed_up);
    f.key.flags = kUserPresent | kUserVerified | kBackupEligible;
    const Answer later = f.send(again, f.login_page(again));
    CHECK(later.status == 303);
    CHECK(later.log.find("passkey_changed") == std::string::npos);
    CHECK_FALSE(f.stored().backed_up);
}

TEST_CASE("passkey: failures count for the address, and the passkey waits as a password does [WEBAUTHN-18]") {
    const WithPasskey f(json::Object{{"maxFailures", 1}});
    UserAgent guesser(f.op, "198.51.100.9"), alice(f.op);
    Landing page = f.login_page(guesser);
    for (int i = 0; i < 10; ++i) {
        Fields fields = fields_of(f.answer(page));
        fields["signature"] = base64url_encode("none");
        page = f.give(guesser, page, fields);
        check_refused(page, "the signature is wrong");
    }
    const Landing waits = f.give(guesser, page);
    CHECK(waits.answer.status == 429);
    CHECK(waits.answer.header("Retry-After") == "900");
    CHECK(says(waits.answer, "Minutes to wait: 15"));
    CHECK(f.give(alice, f.login_page(alice)).verdict() == "consent");
}

TEST_CASE("passkey: rubbish that makes this server check no signature locks no address [WEBAUTHN-18, L45]") {
    const auto answered = [](const char* name, const std::string& value) {
        return [=](const WithPasskey& f, const Landing& page) {
            Fields fields = fields_of(f.answer(page));
            fields[name] = value;
            return fields;
        };
    };
    struct Row {
        const char* reason;
        std::function<Fields(const WithPasskey&, const Landing&)> sent;
    };
    const Row rows[] = {
        {"the challenge is not one of this page", answered("challenge", "AAAA")},
        {"the challenge is not one of this page", answered("challenge", "")},
        {"a field of the passkey is not base64url", answered("signature", "a+b/")},
        {"no user has that passkey", answered("id", base64url_encode("another"))},
        {"no user has that passkey",
         [](const WithPasskey&, const Landing&) {
             return Fields{{"client_data", base64url_encode("{}")}};
         }},
    };
    const WithPasskey f(json::Object{{"maxFailures", 1}});
    UserAgent stranger(f.op, "198.51.100.9"), alice(f.op, "198.51.100.9");
    Landing page = f.login_page(stranger);
    for (const Row& row : rows) {
        for (int i = 0; i < 11; ++i) {
            page = f.give(stranger, page, row.sent(f, page));
            check_refused(page, row.reason);
        }
    }
    CHECK(f.op.count_rows("login_attempts") == 0);
    CHECK(f.give(alice, f.login_page(alice)).verdict() == "consent");
}

TEST_CASE(
    "passkey: beside an app both are offered, and for a client that requires a passkey it alone [STEP-5, LEVEL-4, LEVEL-5, "
    "POLICY-6]") {
    WithPasskey f;
    UserAgent owner(f.op);
    const Landing account = f.give(owner, owner.open(f.op.url("account") + "/app"));
    SetUp app(account.answer);
    REQUIRE(owner.send(f.op.url("account") + "/app", app.form(app.code(f.op)).text()).status == 303);

    UserAgent alice(f.op);
    const Landing page = f.second_page(alice);
    CHECK(has_id(page.answer.body, "code"));
    CHECK(has_id(page.answer.body, "use-passkey"));
    CHECK(worth(f.op, alice, alice.submit(page, "verify", {{"code", app.fresh_code(f.op)}})) ==
          "https://refeds.org/profile/mfa: pwd otp mfa");
    // The session is worth a code: a wish shows no page with the passkey alone, and a demand does (LEVEL-4, LEVEL-5).
    const Query wish = authorization_request().with("acr_values", "phr");
    CHECK(worth(f.op, alice, alice.authorize(wish)) == "https://refeds.org/profile/mfa: pwd otp mfa");
    const Landing raised = alice.authorize(
        authorization_request().with("claims", R"({"id_token":{"acr":{"essential":true,"value":"phr"}}})"));
    REQUIRE(raised.verdict() == "second step");
    CHECK_FALSE(has_id(raised.answer.body, "code"));
    CHECK(worth(f.op, alice, f.give(alice, raised)) == "phr: pwd otp pop user mfa");

    f.op.must({"client", "set", kWeb, "--acr", "phr"});
    UserAgent strict(f.op);
    const Landing alone = f.second_page(strict);
    CHECK_FALSE(has_id(alone.answer.body, "code"));
    CHECK(f.give(strict, alone).verdict() == "code");
}

TEST_CASE(
    "passkey: one of the issuer's former host logs in at the new one, with the new origin [WEBAUTHN-27, WEBAUTHN-2]") {
    const WithPasskey f(json::Object{{"rpId", "old.example"}});
    change_database(f.op, "UPDATE passkeys SET rp_id = 'old.example'");
    for (const bool is_alone : {true, false}) {
        CAPTURE(is_alone);
        UserAgent alice(f.op);
        const auto page = [&] { return is_alone ? f.login_page(alice) : f.second_page(alice); };
        CHECK(text_of(options_of(page().answer), "rpId") == "old.example");
        const auto give = [&](const char* origin, const char* rp_id) {
            const Landing at = page();
            return f.give(alice, at, fields_of(f.answer(at, origin, rp_id)));
        };
        check_refused(give("https://old.example", "old.example"), "the origin is not that of the issuer");
        check_refused(give(kOrigin, kRpId), "the authenticator data is for another RP ID");
        CHECK(worth(f.op, alice, give(kOrigin, "old.example")).starts_with("phr: "));
    }
}

TEST_CASE("passkey: two tabs raise one session, and a code does not lower what the passkey has made of it [STEP-8]") {
    WithPasskey f;
    UserAgent owner(f.op), alice(f.op);
    SetUp app(f.give(owner, owner.open(f.op.url("account") + "/app")).answer);
    REQUIRE(owner.send(f.op.url("account") + "/app", app.form(app.code(f.op)).text()).status == 303);
    f.op.configure("login", json::Object{{"secondFactor", "off"}});
    REQUIRE(alice.approve(alice.log_in(f.login_page(alice))).verdict() == "code");
    f.op.configure("login", json::Object{{"secondFactor", "offered"}});

    const Landing code = alice.authorize(authorization_request().with("acr_values", "https://refeds.org/profile/mfa"));
    const Landing passkey = alice.authorize(authorization_request().with("acr_values", "phr"));
    REQUIRE(code.verdict() == "second step");
    REQUIRE(passkey.verdict() == "second step");
    CHECK(f.give(alice, passkey).verdict() == "code");
    REQUIRE(alice.submit(code, "verify", {{"code", app.fresh_code(f.op)}}).verdict() == "code");
    CHECK(worth(f.op, alice, alice.authorize(authorization_request())) == "phr: pwd otp pop user mfa");
    CHECK(f.op.count_rows("sessions") == 2);  // the owner's and this one
}

TEST_CASE("passkey: the name that was typed beside one that is refused is kept [A11Y-4]") {
    const WithPasskey f;
    UserAgent alice(f.op);
    const Landing page = f.login_page(alice, authorization_request().with("login_hint", "somebody"));
    Fields fields = fields_of(f.answer(page));
    fields["username"] = kAlice;
    fields["user_handle"] = base64url_encode(std::string(32, 'x'));
    const Landing refused = f.give(alice, page, fields);
    REQUIRE(says(refused.answer, kRefused));
    CHECK(value_of(refused.answer, "username") == kAlice);
}

TEST_CASE("passkey: one that is removed while its page is open starts no session [STEP-6, STEP-7]") {
    const WithPasskey f;
    UserAgent alone(f.op), alice(f.op);
    const Landing first = f.login_page(alone), second = f.second_page(alice);
    const json::Value listed = *json::parse(f.op.must({"user", "passkeys", kAlice, "--json"}));
    f.op.must({"user", "passkeys", kAlice, "--remove", text_of(*listed.if_array()->front().if_object(), "id")});
    check_refused(f.give(alone, first), "no user has that passkey");
    const Landing done = f.give(alice, second);
    CHECK(done.verdict() == "login");
    CHECK(says(done.answer, "Your account has changed meanwhile."));
    CHECK(f.op.count_rows("sessions") == 0);
}

TEST_CASE("passkey: the present password is asked for unless it alone was the login [ACCOUNT-6]") {
    WithPasskey f;
    const std::string password = f.op.url("account") + "/password";
    UserAgent alone(f.op), both(f.op);
    f.give(alone, alone.open(password));
    CHECK_FALSE(has_id(alone.fetch(password).body, "present"));
    CHECK(worth(f.op, both, f.give(both, f.second_page(both))) == "phr: pwd pop user mfa");
    CHECK(has_id(both.fetch(password).body, "present"));
    f.key.flags = kUserPresent;
    UserAgent touched(f.op);
    CHECK(worth(f.op, touched, f.give(touched, f.second_page(touched))) == "phr: pwd pop user mfa");
    CHECK(has_id(touched.fetch(password).body, "present"));
    // The field is no choice of the form's.
    const Query form{{"csrf", value_of(both.fetch(password), "csrf")},
                     {"new", "four words in a row"},
                     {"again", "four words in a row"}};
    CHECK(says(both.send(password, form.text()), "The present password is not right."));
}

TEST_CASE("passkey: one that is suspended or removed sets no password in a session that it began [ACCOUNT-6]") {
    WithPasskey f;
    const std::string password = f.op.url("account") + "/password";
    const std::string list = f.op.url("account") + "/passkeys";
    UserAgent thief(f.op), alice(f.op);
    f.give(thief, thief.open(password));
    const Answer form = thief.fetch(password);
    REQUIRE(has_id(form.body, "save"));
    REQUIRE_FALSE(has_id(form.body, "present"));
    const Query sent{
        {"csrf", value_of(form, "csrf")}, {"new", "four words in a row"}, {"again", "four words in a row"}};
    change_database(f.op, "UPDATE passkeys SET suspended_at = 1");
    CHECK(has_id(thief.fetch(password).body, "present"));
    CHECK(says(thief.send(password, sent.text()), "The present password is not right."));
    change_database(f.op, "UPDATE passkeys SET suspended_at = NULL");
    CHECK_FALSE(has_id(thief.fetch(password).body, "present"));

    f.give(alice, f.second_page(alice));
    const Query removal{{"csrf", value_of(alice.fetch(list), "csrf")},
                        {"remove", base64url_encode(f.stored().credential_id)}};
    const Answer removed = alice.send(list, removal.text());
    CHECK(removed.location() == list + "?done=passkey-removed");
    CHECK(audit_events(removed.log) == "passkey_removed session_ended");
    CHECK(alice.fetch(list).status == 200);
    CHECK(thief.send(password, sent.text()).location() == password);  // the login comes first
    UserAgent later(f.op);
    CHECK(later.log_in(later.open(list)).url == list);
}

TEST_CASE("passkey: a user without a password who has logged in otherwise gets a sentence, and no form [ACCOUNT-6]") {
    const Deployment op;
    const std::string password = op.url("account") + "/password";
    UserAgent alice(op);
    const Landing page = alice.log_in(alice.open(password));
    REQUIRE(page.url == password);
    change_database(op, "UPDATE users SET password_hash = '' WHERE username = 'alice'");
    const Answer shown = alice.fetch(password);
    CHECK(says(shown, "You have no password. Sign out, and sign in with your passkey to choose one."));
    CHECK_FALSE(has_id(shown.body, "save"));
    const std::string form = alice.form_of(
        page, "save", {{"present", kAlicePassword}, {"new", "four words in a row"}, {"again", "four words in a row"}});
    const auto counters = op.count_rows("login_attempts");
    const Answer refused = alice.send(password, form);
    CHECK(says(refused, "You have no password."));
    CHECK(refused.log.find("password_refused") != std::string::npos);
    CHECK(op.count_rows("login_attempts") == counters);
}

TEST_CASE("passkey: where none can be, the login page is byte for byte that of a password [WEBAUTHN-1, WEBAUTHN-20]") {
    struct Row {
        const char* when;
        Deployment::Options options;
    };
    const Row rows[] = {
        {"off", {.config = {{"login", json::Object{{"passkeys", "off"}}}}}},
        {"a second factor alone", {.config = {{"login", json::Object{{"passkeys", "secondFactor"}}}}}},
        {"an IP address", {.issuer = "https://192.0.2.80"}},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        const Deployment op(row.options);
        UserAgent alice(op);
        const Landing page = alice.authorize(authorization_request());
        const auto fields = find_form(page.answer.body)->fields;
        const std::string& body = page.answer.body;
        CHECK(
            body.substr(body.find("<form"), body.find("<script>") - body.find("<form")) ==
            "<form method=\"post\" action=\"" + op.url("login") +
                "\">\n"
                "<input type=\"hidden\" name=\"csrf\" value=\"" +
                fields.at("csrf") +
                "\">\n"
                "<input type=\"hidden\" name=\"resume\" value=\"" +
                fields.at("resume") +
                "\">\n"
                "<label for=\"username\">User name</label>\n"
                "<input type=\"text\" id=\"username\" name=\"username\" dir=\"auto\" value=\"\" autocomplete=\"username\" "
                "autocapitalize=\"none\" autocorrect=\"off\" spellcheck=\"false\" required autofocus>\n"
                "<label for=\"password\">Password</label>\n"
                "<input type=\"password\" id=\"password\" name=\"password\" autocomplete=\"current-password\" "
                "autocapitalize=\"none\" spellcheck=\"false\" required>\n"
                "<button type=\"submit\" id=\"login\">Sign in</button>\n"
                "</form>\n"
                "</main>\n");
        CHECK(body.find("</p>\n\n<form") != std::string::npos);
        CHECK(body.ends_with("})();\n</script>\n</body>\n</html>\n"));
        CHECK(body.find("<script>") == body.rfind("<script>"));
        const std::string policy = page.answer.header("Content-Security-Policy");
        const std::string scripts = policy.substr(policy.find("script-src"), policy.find("; style-src"));
        CHECK(scripts.find("sha256-") == scripts.rfind("'sha256-", scripts.find(';')) + 1);
    }
}

}  // namespace
