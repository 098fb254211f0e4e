// `postern user factors`, `passkeys` and `activity`: what they show, what they remove, and what ends with that.
#include <doctest/doctest.h>

#include "audit/trail.h"
#include "installation.h"
#include "model/activity.h"
#include "preconditions.h"
#include "store/activity.h"
#include "store/factors.h"
#include "store/login_attempts.h"
#include "store/users.h"
#include "support/audit_log.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;

namespace {

const util::Time kNow = util::SystemClock().now();

struct Fixture {
    Installation installation;
    model::Subject ada = put_app(installation, "ada");
    db::Database database = installation.open();

    Fixture() {
        write(database, [&](db::Transaction& transaction) {
            store::replace_recovery_codes(transaction, ada, {"one", "two", "three"}, kNow);
            store::spend_recovery_code(transaction, ada, "one", kNow);
            for (int i = 0; i < 100; ++i) store::count_code_failure(transaction, ada, store::CodePlace::other);
        });
        log_in(installation, ada);
    }
    std::int64_t failures() { return store::find_code_state(database, ada, "", kNow).other.in_a_row; }
    std::string audit() const { return read_file(installation.syslog_file()); }
};

}  // namespace

TEST_CASE("user factors: shows what there is, and no secret [POLICY-8]") {
    Fixture f;
    const auto shown = f.installation.must_json({"user", "factors", "ada"});
    CHECK(text_of(shown, "sub") == f.ada.str());
    CHECK(text_of(shown, "username") == "ada");
    CHECK(integer_of(member_of(shown, "app"), "created_at") > 0);
    CHECK(integer_of(shown, "passkeys") == 0);
    CHECK(integer_of(shown, "unused_codes") == 2);
    CHECK(integer_of(shown, "failures_in_a_row") == 100);
    const std::string text = f.installation.must({"user", "factors", f.ada.str()});
    CHECK(has(text, "not used for a login yet"));
    CHECK_FALSE(has(text, store::find_totp(f.database, f.ada)->sealed));
    CHECK(is_logged_in(f.installation));

    add_user(f.installation, "bob");
    const auto none = f.installation.must_json({"user", "factors", "bob"});
    CHECK(none.if_object()->find("app") == nullptr);
    CHECK(integer_of(none, "unused_codes") == 0);
}

TEST_CASE(
    "user factors: --remove ends sessions, raises the stamp and keeps the password [POLICY-8] [STORE-6] [CODE-5]") {
    struct Row {
        const char* what;
        bool app;
        std::int64_t codes;
        const char* audit;
    };
    const Row rows[] = {
        {"all", false, 0, "app_removed admin_command"},
        {"app", false, 0, "app_removed admin_command"},
        {"codes", true, 0, "admin_command"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        Fixture f;
        const std::string hash = store::find_password_hash(f.database, f.ada);
        const std::int64_t stamp = store::find_stamp(f.database, f.ada);
        const std::size_t before = f.audit().size();
        f.installation.must({"user", "factors", "ada", "--remove", row.what});
        const auto left = store::find_factors(f.database, f.ada);
        CHECK(left.app == row.app);
        CHECK(left.unused_codes == row.codes);
        CHECK_FALSE(is_logged_in(f.installation));
        CHECK(f.failures() == 0);
        CHECK(store::find_stamp(f.database, f.ada) == stamp + 1);
        CHECK(store::find_password_hash(f.database, f.ada) == hash);
        CHECK(audit_events(f.audit().substr(before)) == row.audit);
        f.installation.refused({"user", "factors", "ada", "--remove", row.what});
    }
}

TEST_CASE("user factors: --resume lets codes count again and ends nothing [TOTP-9]") {
    Fixture f;
    f.installation.must({"user", "factors", "ada", "--resume"});
    CHECK(f.failures() == 0);
    CHECK(is_logged_in(f.installation));
    CHECK(store::find_factors(f.database, f.ada).app);
    CHECK(integer_of(f.installation.must_json({"user", "factors", "ada", "--resume"}), "failures_in_a_row") == 0);
}

TEST_CASE("user factors: what is refused changes nothing [POLICY-8]") {
    Fixture f;
    const std::pair<Words, int> rows[] = {
        {{"nobody"}, 1},
        {{"nobody", "--remove", "all"}, 1},
        {{"nobody", "--resume"}, 1},
        {{"ada", "--remove", "passkeys"}, 1},
        {{"ada", "--remove", "passkey"}, 2},
        {{"ada", "--remove", ""}, 2},
        {{"ada", "--remove", "all", "--resume"}, 2},
        {{}, 2},
    };
    for (const auto& [arguments, exit_code] : rows) {
        CHECK(f.installation.postern(joined({"user", "factors"}, arguments)).exit_code == exit_code);
    }
    CHECK(store::find_factors(f.database, f.ada).app);
    CHECK(f.failures() == 100);
    CHECK(is_logged_in(f.installation));
}

namespace {

std::string id_of(const char* credential_id) { return audit::short_digest(credential_id); }

/// Ada has two passkeys, of which one is suspended, and a recovery code; Bob has one passkey.
struct PasskeyFixture {
    Installation installation;
    model::Subject ada = add_user(installation, "ada");
    model::Subject bob = add_user(installation, "bob");
    db::Database database = installation.open();

    PasskeyFixture() {
        write(database, [&](db::Transaction& transaction) {
            put_passkey(transaction, ada, "phone");
            put_passkey(transaction, ada, "key");
            put_passkey(transaction, bob, "other");
            store::suspend_passkey(transaction, "key", kNow);
            store::replace_recovery_codes(transaction, ada, {"one"}, kNow);
        });
    }
    std::string audit() const { return read_file(installation.syslog_file()); }
};

}  // namespace

TEST_CASE("user passkeys: lists them by the id that the audit log has [WEBAUTHN-15] [WEBAUTHN-25]") {
    PasskeyFixture f;
    const auto list = f.installation.must_json({"user", "passkeys", "ada"});
    REQUIRE(list.if_array()->size() == 2);
    const json::Value& first = list.if_array()->front();
    const bool is_phone = text_of(first, "name") == "Key phone";
    CHECK(text_of(first, "id") == id_of(is_phone ? "phone" : "key"));
    CHECK(text_of(first, "rp_id") == "id.example.org");
    const std::string text = f.installation.must({"user", "passkeys", f.ada.str()});
    for (const std::string& part : {id_of("phone"), id_of("key"), std::string("suspended since")})
        CHECK(has(text, part));
    CHECK_FALSE(has(text, id_of("other")));
    CHECK(integer_of(f.installation.must_json({"user", "factors", "ada"}), "passkeys") == 2);
    add_user(f.installation, "carol");
    CHECK(has(f.installation.must({"user", "passkeys", "carol"}), "has no passkeys"));
}

TEST_CASE("user passkeys: --remove takes one, raises the stamp, and the codes go with the last [CODE-5] [STORE-6]") {
    PasskeyFixture f;
    const std::int64_t stamp = store::find_stamp(f.database, f.ada);
    const std::size_t before = f.audit().size();
    f.installation.must({"user", "passkeys", "ada", "--remove", id_of("phone")});
    CHECK(audit_events(f.audit().substr(before)) == "passkey_removed admin_command");
    CHECK_FALSE(store::find_passkey(f.database, "phone"));
    CHECK(store::find_stamp(f.database, f.ada) == stamp + 1);
    CHECK(store::find_factors(f.database, f.ada).unused_codes == 1);
    CHECK(f.installation.postern({"user", "passkeys", "ada", "--remove", id_of("phone")}).exit_code == 1);
    f.installation.must({"user", "passkeys", "ada", "--remove", id_of("key")});
    CHECK(store::find_factors(f.database, f.ada).unused_codes == 0);
    CHECK(store::find_passkey(f.database, "other"));
}

TEST_CASE("user passkeys: --resume lets a suspended one count again, and no other is changed [WEBAUTHN-15]") {
    PasskeyFixture f;
    const std::pair<const char*, const char*> refused[] = {{"bob", "key"}, {"ada", "phone"}, {"ada", "none"}};
    for (const auto& [user, key] : refused)
        CHECK(f.installation.postern({"user", "passkeys", user, "--resume", id_of(key)}).exit_code == 1);
    CHECK(f.installation.postern({"user", "passkeys", "ada", "--resume", ""}).exit_code != 0);
    CHECK(f.installation.postern({"user", "passkeys", "ada", "--resume", id_of("key"), "--remove", id_of("key")})
              .exit_code == 2);
    CHECK(store::find_passkey(f.database, "key")->suspended_at);
    f.installation.must({"user", "passkeys", "ada", "--resume", id_of("key")});
    CHECK_FALSE(store::find_passkey(f.database, "key")->suspended_at);
}

TEST_CASE("user factors: --remove passkeys takes all of one user, and the codes with them [POLICY-8] [CODE-5]") {
    PasskeyFixture f;
    f.installation.must({"user", "factors", "ada", "--remove", "passkeys"});
    CHECK_FALSE(store::find_factors(f.database, f.ada).any());
    CHECK(store::find_passkey(f.database, "other"));
    CHECK(f.installation.postern({"user", "factors", "ada", "--remove", "passkeys"}).exit_code == 1);
}

TEST_CASE("doctor: passkeys that do not count, and an issuer without a name [WEBAUTHN-1, WEBAUTHN-25, POLICY-10]") {
    PasskeyFixture f;
    const auto says = [&](const char* text) { return has(f.installation.postern({"doctor", "--json"}).out, text); };
    CHECK_FALSE(says("no login accepts them"));
    f.installation.reconfigure("login", json::Object{{"rpId", "former.example"}});
    CHECK(says("3 passkeys for another host than"));
    f.installation.reconfigure("login", json::Object{{"passkeys", "off"}});
    CHECK(says("3 passkeys, and login.passkeys is"));
    f.installation.reconfigure("login", json::Object{});
    f.installation.reconfigure("issuer", "https://192.0.2.1");
    CHECK(says("the issuer's host is an IP address"));
    f.installation.reconfigure("login", json::Object{{"passkeys", "off"}});
    CHECK_FALSE(says("the issuer's host is an IP address"));
}

namespace {

void add_line(const Fixture& f, const model::Subject& subject, const model::ActivityLine& line) {
    write(f.installation, [&](db::Transaction& transaction) {
        store::lock_user(transaction, subject);
        store::add_activity(transaction, subject, line);
    });
}

}  // namespace

TEST_CASE("user activity: the latest first, of this user alone, by name or sub [ACCOUNT-13]") {
    const Fixture f;
    add_line(
        f, f.ada,
        {kNow - util::Seconds(60), model::ActivityKind::signed_in, "Firefox on Linux", "192.0.2.1", "pwd otp mfa"});
    add_line(f, f.ada, {kNow, model::ActivityKind::passkey_added, "Safari on macOS", "", "My phone"});
    add_line(f, model::Subject(put_user(f.installation, "bob")), {kNow, model::ActivityKind::password_changed});
    for (const std::string& name : {std::string("ada"), f.ada.str()}) {
        const std::string shown = f.installation.must({"user", "activity", name});
        CAPTURE(shown);
        CHECK(shown.find("Added a passkey") < shown.find("Signed in with a password and a code"));
        for (const char* text : {"My phone", "Firefox on Linux", "192.0.2.1", "Safari on macOS"})
            CHECK(has(shown, text));
        CHECK_FALSE(has(shown, "Changed the password"));
    }
    const json::Value lines = f.installation.must_json({"user", "activity", "ada"});
    REQUIRE(lines.if_array());
    REQUIRE(lines.if_array()->size() == 2);
    const json::Value& first = (*lines.if_array())[0];
    CHECK(text_of(first, "what") == "passkey_added");
    CHECK(text_of(first, "detail") == "My phone");
    CHECK(first.if_object()->find("address") == nullptr);
    CHECK(integer_of(first, "at") == util::to_epoch(kNow));
}

TEST_CASE("user activity: what a user has typed turns no line of the terminal around") {
    const Fixture f;
    add_line(f, f.ada, {kNow, model::ActivityKind::passkey_added, "", "", "phone\x1b[31m\n\xe2\x80\xae"});
    const std::string shown = f.installation.must({"user", "activity", "ada"});
    CHECK(shown.find('\x1b') == std::string::npos);
    CHECK_FALSE(has(shown, "\xe2\x80\xae"));
}

TEST_CASE("user activity: a user without a line has an empty list, and an unknown one is refused [ACCOUNT-13]") {
    const Fixture f;
    put_user(f.installation, "bob");
    CHECK(f.installation.must_json({"user", "activity", "bob"}).if_array()->empty());
    f.installation.refused({"user", "activity", "eve"});
    CHECK(f.installation.postern({"user", "activity"}).exit_code == 2);
}
