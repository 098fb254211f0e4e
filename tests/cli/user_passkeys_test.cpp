// `postern user passkeys`: what it shows, removes and resumes, and what ends with that.
#include <doctest/doctest.h>

#include "audit/trail.h"
#include "installation.h"
#include "second_factors.h"
#include "store/factors.h"
#include "support/audit_log.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;

namespace {

std::string id_of(const char* credential_id) { return audit::short_digest(credential_id); }

/// Ada has two passkeys, of which one is suspended, and a recovery code; Bob has one passkey.
struct Fixture {
    Installation installation;
    model::Subject ada = add("ada");
    model::Subject bob = add("bob");
    db::Database database = installation.open();

    Fixture() {
        db::Transaction transaction(database, db::Durability::full);
        put_passkey(transaction, ada, "phone");
        put_passkey(transaction, ada, "key");
        put_passkey(transaction, bob, "other");
        store::suspend_passkey(transaction, "key", util::SystemClock().now());
        store::replace_recovery_codes(transaction, ada, {"one"}, util::SystemClock().now());
        transaction.commit();
    }
    model::Subject add(const char* name) {
        return model::Subject(text_of(
            installation.must_json({"user", "add", name, "--password-stdin"}, "quiet boats remember\n"), "sub"));
    }
    std::string audit() const { return read_file(installation.syslog_file()); }
};

}  // namespace

TEST_CASE("user passkeys: lists them by the id that the audit log has [WEBAUTHN-15] [WEBAUTHN-25]") {
    Fixture f;
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
    f.add("carol");
    CHECK(has(f.installation.must({"user", "passkeys", "carol"}), "has no passkeys"));
}

TEST_CASE("user passkeys: --remove takes one, raises the stamp, and the codes go with the last [CODE-5] [STORE-6]") {
    Fixture f;
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
    Fixture f;
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
    Fixture f;
    f.installation.must({"user", "factors", "ada", "--remove", "passkeys"});
    CHECK_FALSE(store::find_factors(f.database, f.ada).any());
    CHECK(store::find_passkey(f.database, "other"));
    CHECK(f.installation.postern({"user", "factors", "ada", "--remove", "passkeys"}).exit_code == 1);
}

TEST_CASE("doctor: passkeys that do not count, and an issuer without a name [WEBAUTHN-1, WEBAUTHN-25, POLICY-10]") {
    Fixture f;
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
