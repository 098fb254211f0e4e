// `postern user factors`: what it shows, what it removes, and what ends with that.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "installation.h"
#include "second_factors.h"
#include "store/code_failures.h"
#include "store/factors.h"
#include "store/sessions.h"
#include "store/users.h"
#include "support/audit_log.h"

using namespace postern;
using namespace postern::test;

namespace {

const util::Time kNow = util::SystemClock().now();
const model::ValueHash kCookie{std::string(64, 'a')};

struct Fixture {
    Installation installation;
    model::Subject ada = put_app(installation, "ada");
    db::Database database = installation.open();

    Fixture() {
        write([&](db::Transaction& transaction) {
            store::replace_recovery_codes(transaction, ada, {"one", "two", "three"}, kNow);
            store::spend_recovery_code(transaction, ada, "one", kNow);
            for (int i = 0; i < 100; ++i) store::count_code_failure(transaction, ada, store::CodePlace::other);
            model::Session session;
            session.cookie_hash = kCookie;
            session.sid = model::Sid("sid");
            session.subject = ada;
            session.auth_time = session.created_at = session.last_seen_at = kNow;
            session.expires_at = kNow + util::Seconds(3600);
            store::insert_session(transaction, session);
        });
    }
    template <class Action>
    void write(Action action) {
        db::Transaction transaction(database, db::Durability::full);
        action(transaction);
        transaction.commit();
    }
    bool logged_in() { return store::find_session(database, kCookie, {kNow, kNow - util::Seconds(3600)}).has_value(); }
    std::int64_t failures() { return store::find_code_state(database, ada, "", kNow).other.in_a_row; }
    std::string audit() const {
        std::ostringstream text;
        text << std::ifstream(installation.syslog_file()).rdbuf();
        return text.str();
    }
};

}  // namespace

TEST_CASE("user factors: shows what there is, and no secret [POLICY-8]") {
    Fixture f;
    const auto shown = f.installation.must_json({"user", "factors", "ada"});
    CHECK(text_of(shown, "sub") == f.ada.str());
    CHECK(text_of(shown, "username") == "ada");
    CHECK(*member_of(member_of(shown, "app"), "created_at").if_integer() > 0);
    CHECK(*member_of(shown, "passkeys").if_integer() == 0);
    CHECK(*member_of(shown, "unused_codes").if_integer() == 2);
    CHECK(*member_of(shown, "failures_in_a_row").if_integer() == 100);
    const std::string text = f.installation.must({"user", "factors", f.ada.str()});
    CHECK(text.find("not used for a login yet") != text.npos);
    CHECK(text.find(store::find_totp(f.database, f.ada)->sealed) == text.npos);
    CHECK(f.logged_in());

    f.installation.must({"user", "add", "bob", "--password-stdin"}, "quiet boats remember\n");
    const auto none = f.installation.must_json({"user", "factors", "bob"});
    CHECK(none.if_object()->find("app") == nullptr);
    CHECK(*member_of(none, "unused_codes").if_integer() == 0);
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
        CHECK_FALSE(f.logged_in());
        CHECK(f.failures() == 0);
        CHECK(store::find_stamp(f.database, f.ada) == stamp + 1);
        CHECK(store::find_password_hash(f.database, f.ada) == hash);
        CHECK(audit_events(f.audit().substr(before)) == row.audit);
        const auto again = f.installation.postern({"user", "factors", "ada", "--remove", row.what});
        CHECK(again.exit_code == 1);
        CHECK(is_one_plain_line(again.err));
    }
}

TEST_CASE("user factors: --resume lets codes count again and ends nothing [TOTP-9]") {
    Fixture f;
    f.installation.must({"user", "factors", "ada", "--resume"});
    CHECK(f.failures() == 0);
    CHECK(f.logged_in());
    CHECK(store::find_factors(f.database, f.ada).app);
    CHECK(*member_of(f.installation.must_json({"user", "factors", "ada", "--resume"}), "failures_in_a_row")
               .if_integer() == 0);
}

TEST_CASE("user factors: what is refused changes nothing [POLICY-8]") {
    Fixture f;
    const std::pair<std::vector<std::string>, int> rows[] = {
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
        std::vector<std::string> all = {"user", "factors"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        CHECK(f.installation.postern(all).exit_code == exit_code);
    }
    CHECK(store::find_factors(f.database, f.ada).app);
    CHECK(f.failures() == 100);
    CHECK(f.logged_in());
}
