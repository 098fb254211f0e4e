// `postern user factors`: what it shows, what it removes, and what ends with that.
#include <doctest/doctest.h>

#include "preconditions.h"
#include "second_factors.h"
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
        write([&](db::Transaction& transaction) {
            store::replace_recovery_codes(transaction, ada, {"one", "two", "three"}, kNow);
            store::spend_recovery_code(transaction, ada, "one", kNow);
            for (int i = 0; i < 100; ++i) store::count_code_failure(transaction, ada, store::CodePlace::other);
        });
        log_in(installation, ada);
    }
    template <class Action>
    void write(Action action) {
        db::Transaction transaction(database, db::Durability::full);
        action(transaction);
        transaction.commit();
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

    f.installation.must({"user", "add", "bob", "--password-stdin"}, "quiet boats remember\n");
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
