#include "store/factors.h"

#include <algorithm>

#include "store/login_attempts.h"
#include "store/second_factor.h"
#include "store/users.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::Subject;

namespace {

struct Fixture {
    db::Database database = test::empty_database();
    Subject ada{"ada"};
    Subject bob{"bob"};

    Fixture() {
        for (const Subject& subject : {ada, bob})
            written(database, [&](db::Transaction& transaction) {
                return store::insert_user(transaction, {subject, subject.str(), {}, true, kNow, kNow}, "hash");
            });
    }
    void set_app(const Subject& subject, const char* sealed, std::int64_t step, Time at) {
        written(database, [&](db::Transaction& transaction) {
            store::replace_totp(transaction, subject, sealed, step, at);
            return 0;
        });
    }
    bool spend(const Subject& subject, std::int64_t step) {
        return written(database, [&](db::Transaction& transaction) {
            return store::spend_totp_step(transaction, subject, step, kNow + Seconds{5});
        });
    }
    void set_codes(const Subject& subject, const std::vector<std::string>& hashes) {
        written(database, [&](db::Transaction& transaction) {
            store::replace_recovery_codes(transaction, subject, hashes, kNow);
            return 0;
        });
    }
    bool spend(const Subject& subject, const char* hash) {
        return written(database, [&](db::Transaction& transaction) {
            return store::spend_recovery_code(transaction, subject, hash, kNow);
        });
    }
    std::int64_t rows(const char* sql) {
        auto row = database.prepare(sql);
        REQUIRE(row.step());
        return row.integer(0);
    }
};

}  // namespace

TEST_CASE("an app: one for each user; a new one replaces it [TOTP-7]") {
    Fixture f;
    CHECK_FALSE(store::find_factors(f.database, f.ada).any());
    CHECK_FALSE(store::find_totp(f.database, f.ada));
    f.set_app(f.ada, "first", 100, kNow);
    CHECK(f.spend(f.ada, 101));
    f.set_app(f.ada, "second", 50, kNow + Seconds{60});
    const auto found = store::find_totp(f.database, f.ada);
    REQUIRE(found);
    CHECK(found->sealed == "second");
    CHECK(found->last_step == 50);
    CHECK(found->created_at == kNow + Seconds{60});
    CHECK_FALSE(found->last_used_at);
    CHECK(store::find_factors(f.database, f.ada).app);
    CHECK_FALSE(store::find_factors(f.database, f.bob).any());
    const auto remove = [&] {
        return written(f.database,
                       [&](db::Transaction& transaction) { return store::remove_totp(transaction, f.ada); });
    };
    CHECK(remove());
    CHECK_FALSE(remove());
    CHECK_FALSE(store::find_totp(f.database, f.ada));
}

TEST_CASE("a step counts once, no earlier one after it, and for its user alone [TOTP-5, STORE-2, RFC 6238 §5.2b]") {
    Fixture f;
    f.set_app(f.ada, "sealed", 100, kNow);
    CHECK_FALSE(f.spend(f.ada, 99));
    CHECK_FALSE(f.spend(f.ada, 100));
    CHECK_FALSE(f.spend(f.bob, 101));
    CHECK(f.spend(f.ada, 102));
    CHECK_FALSE(f.spend(f.ada, 102));
    CHECK_FALSE(f.spend(f.ada, 101));
    CHECK(store::find_totp(f.database, f.ada)->last_step == 102);
    CHECK(store::find_totp(f.database, f.ada)->last_used_at == kNow + Seconds{5});
}

TEST_CASE("a recovery code counts once, for its user alone; new ones end all others [CODE-3] [CODE-5]") {
    Fixture f;
    f.set_codes(f.ada, {"a", "b", "c"});
    f.set_codes(f.bob, {"d"});
    CHECK(store::find_factors(f.database, f.ada).unused_codes == 3);
    CHECK(store::find_factors(f.database, f.ada).any());
    CHECK(store::has_unused_code(f.database, f.ada, "a"));
    CHECK_FALSE(store::has_unused_code(f.database, f.ada, "d"));
    CHECK_FALSE(f.spend(f.bob, "a"));
    CHECK(f.spend(f.ada, "a"));
    CHECK_FALSE(f.spend(f.ada, "a"));
    CHECK_FALSE(store::has_unused_code(f.database, f.ada, "a"));
    CHECK(store::find_factors(f.database, f.ada).unused_codes == 2);
    f.set_codes(f.ada, {"e"});
    CHECK_FALSE(f.spend(f.ada, "b"));
    CHECK(f.spend(f.ada, "e"));
    CHECK(store::find_factors(f.database, f.ada).unused_codes == 0);
    CHECK(store::find_factors(f.database, f.bob).unused_codes == 1);
    CHECK(written(f.database, [&](db::Transaction& t) { return store::remove_recovery_codes(t, f.ada); }) == 1);
    CHECK(store::has_unused_code(f.database, f.bob, "d"));
}

TEST_CASE("recovery codes: those of another key are told apart, whenever they were made [FKEY-2]") {
    Fixture f;
    const std::string present = "0123456789abcdef.", former = "0123456789abcdee.";
    f.set_codes(f.ada, {present + "a", former + "b"});
    f.set_codes(f.bob, {former + "c"});
    const auto is_live = [&](const Subject& subject) {
        return store::has_unused_code_under(f.database, subject, present);
    };
    CHECK(is_live(f.ada));
    CHECK_FALSE(is_live(f.bob));
    CHECK(written(f.database, [&](db::Transaction& t) { return store::remove_dead_recovery_codes(t, present); }) == 2);
    CHECK(is_live(f.ada));
    CHECK(store::find_factors(f.database, f.ada).unused_codes == 1);
    CHECK(store::find_factors(f.database, f.bob).unused_codes == 0);
    CHECK(f.spend(f.ada, (present + "a").c_str()));
    CHECK_FALSE(is_live(f.ada));
}

TEST_CASE("of two connections that spend one step or one code, one does [STORE-2, CODE-3, RFC 6238 §5.2b]") {
    const TemporaryDirectory directory;
    const std::string path = directory / "postern.db";
    db::Database::create(path);
    db::Database first(path, db::Access::read_write);
    db::Database second(path, db::Access::read_write);
    const Subject ada("ada");
    written(first, [&](db::Transaction& transaction) {
        store::insert_user(transaction, {ada, "ada", {}, true, kNow, kNow}, "hash");
        store::replace_totp(transaction, ada, "sealed", 1, kNow);
        store::replace_recovery_codes(transaction, ada, {"code"}, kNow);
        return 0;
    });
    // Both have looked before either spends.
    CHECK(store::find_totp(first, ada)->last_step == store::find_totp(second, ada)->last_step);
    CHECK(store::has_unused_code(first, ada, "code"));
    CHECK(store::has_unused_code(second, ada, "code"));
    const auto spend = [&](db::Database& database) {
        return written(database, [&](db::Transaction& transaction) {
            return std::pair(store::spend_totp_step(transaction, ada, 2, kNow),
                             store::spend_recovery_code(transaction, ada, "code", kNow));
        });
    };
    CHECK((spend(first) == std::pair(true, true)));
    CHECK((spend(second) == std::pair(false, false)));
}

TEST_CASE("a removed user leaves neither factors nor counters [STORE-4]") {
    Fixture f;
    f.set_app(f.ada, "sealed", 1, kNow);
    f.set_codes(f.ada, {"a"});
    written(f.database, [&](db::Transaction& transaction) {
        store::count_code_failure(transaction, f.ada, store::CodePlace::other);
        store::delay_codes(transaction, f.ada, store::CodePlace::other, kNow + Seconds{60});
        return store::remove_user(transaction, f.ada);
    });
    CHECK(f.rows("SELECT count(*) FROM totp_secrets") == 0);
    CHECK(f.rows("SELECT count(*) FROM recovery_codes") == 0);
    CHECK(f.rows("SELECT count(*) FROM login_attempts") == 0);
}

TEST_CASE("the stamp grows with a password and with disabling, not with claims or a name [STORE-6]") {
    Fixture f;
    model::User ada{f.ada, "ada", {}, true, kNow, kNow};
    const auto stamp = [&] { return store::find_stamp(f.database, f.ada); };
    const auto change = [&](auto action) {
        written(f.database, [&](db::Transaction& transaction) {
            action(transaction);
            return 0;
        });
    };
    const auto save = [&](db::Transaction& transaction) { store::update_user(transaction, ada); };
    CHECK(stamp() == 0);
    ada.username = "ada lovelace";
    change(save);
    CHECK(stamp() == 0);
    change([&](db::Transaction& transaction) { store::set_password_hash(transaction, f.ada, "new", kNow); });
    CHECK(stamp() == 1);
    change([&](db::Transaction& transaction) { store::replace_password(transaction, f.ada, "newer", kNow); });
    CHECK(stamp() == 2);
    ada.enabled = false;
    change(save);
    CHECK(stamp() == 3);
    change(save);
    CHECK(stamp() == 3);
    ada.enabled = true;
    change(save);
    CHECK(stamp() == 3);
    change([&](db::Transaction& transaction) { store::raise_stamp(transaction, f.ada); });
    CHECK(stamp() == 4);
    CHECK(store::find_stamp(f.database, f.bob) == 0);
    CHECK(store::find_stamp(f.database, Subject("nobody")) == 0);
}

TEST_CASE("let_enrol: until its time, and the next change of the password or a factor ends it [POLICY-4, STORE-6]") {
    struct Row {
        const char* when;
        void (*change)(db::Transaction& transaction, model::User& ada);
        bool stays;
    };
    const Row rows[] = {
        {"nothing", [](db::Transaction&, model::User&) {}, true},
        {"other claims", [](db::Transaction& t, model::User& ada) { store::update_user(t, ada); }, true},
        {"a password",
         [](db::Transaction& t, model::User& ada) { store::set_password_hash(t, ada.subject, "x", kNow); }, false},
        {"a factor", [](db::Transaction& t, model::User& ada) { store::raise_stamp(t, ada.subject); }, false},
        {"disabled",
         [](db::Transaction& t, model::User& ada) {
             ada.enabled = false;
             store::update_user(t, ada);
         },
         false},
        {"disabled, and enabled again",
         [](db::Transaction& t, model::User& ada) {
             ada.enabled = false;
             store::update_user(t, ada);
             ada.enabled = true;
             store::update_user(t, ada);
         },
         false},
        {"a password of another user",
         [](db::Transaction& t, model::User&) { store::set_password_hash(t, Subject("bob"), "x", kNow); }, true},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        model::User ada{f.ada, "ada", {}, true, kNow, kNow};
        const auto until = [&](const Subject& subject) {
            return store::find_second_factor(f.database, subject, "op.example").enrol_until;
        };
        CHECK(until(f.ada) == Time{});
        const auto change = [&](auto action) {
            written(f.database, [&](db::Transaction& transaction) {
                action(transaction);
                return 0;
            });
        };
        change([&](db::Transaction& t) { store::let_enrol(t, f.ada, kNow + Seconds{60}); });
        CHECK(until(f.ada) == kNow + Seconds{60});
        CHECK(until(f.bob) == Time{});
        change([&](db::Transaction& t) { row.change(t, ada); });
        CHECK(until(f.ada) == (row.stays ? kNow + Seconds{60} : Time{}));
    }
}

TEST_CASE("failures of codes: counted for each place without an end, and cleared together [TOTP-9]") {
    using store::CodePlace;
    Fixture f;
    const auto fail = [&](CodePlace place) {
        return written(f.database, [&](db::Transaction& transaction) {
            return store::count_code_failure(transaction, f.ada, place);
        });
    };
    const Time later = kNow + std::chrono::hours(24 * 3650);
    CHECK(fail(CodePlace::other) == 1);
    CHECK(fail(CodePlace::other) == 2);
    CHECK(fail(CodePlace::known) == 1);
    written(f.database, [&](db::Transaction& transaction) {
        store::delay_codes(transaction, f.ada, CodePlace::other, kNow + Seconds{60});
        store::remember_place(transaction, "known:here", kNow + Seconds{100});
        return 0;
    });
    auto state = store::find_code_state(f.database, f.ada, "known:here", kNow);
    CHECK(state.place == CodePlace::known);
    CHECK(state.here().in_a_row == 1);
    CHECK(state.other.in_a_row == 2);
    CHECK(state.other.wait_until == kNow + Seconds{60});
    CHECK(state.known.wait_until == Time{});
    CHECK(store::find_code_state(f.database, f.ada, "known:there", kNow).place == CodePlace::other);
    CHECK(store::find_code_state(f.database, f.ada, "", kNow).place == CodePlace::other);
    CHECK(store::find_code_state(f.database, f.bob, "known:here", kNow).other.in_a_row == 0);
    state = store::find_code_state(f.database, f.ada, "known:here", later);
    CHECK(state.place == CodePlace::other);  // the place is forgotten, the failures are not
    CHECK(state.here().in_a_row == 2);
    CHECK(state.other.wait_until == Time{});
    written(f.database, [&](db::Transaction& transaction) {
        store::clear_code_failures(transaction, f.ada);
        return 0;
    });
    CHECK(store::find_code_state(f.database, f.ada, "", kNow).other.in_a_row == 0);
    CHECK(f.rows("SELECT count(*) FROM login_attempts") == 1);  // the place
}

TEST_CASE("failures of codes are no pressure on the login page, and floods of names do not end a wait [TOTP-9]") {
    Fixture f;
    written(f.database, [&](db::Transaction& transaction) {
        for (int i = 0; i < 200; ++i) store::count_code_failure(transaction, f.ada, store::CodePlace::other);
        store::delay_codes(transaction, f.ada, store::CodePlace::other, kNow + Seconds{1});
        return 0;
    });
    const auto pressure = store::measure_pressure(f.database, kNow, 1, 10);
    CHECK(pressure.failures == 0);
    CHECK(pressure.throttled == 0);
    constexpr std::int64_t kAtOnce = 5000;
    for (std::int64_t first = 0; first <= store::kMaxAttemptRows; first += kAtOnce)
        f.database
            .query(
                "WITH RECURSIVE n(i) AS (SELECT $1 UNION ALL SELECT i + 1 FROM n WHERE i < $2)"
                " INSERT INTO login_attempts (attempt_key, failures, ends_at) SELECT 'user:flood ' || i, 1, $3 FROM n",
                first, first + kAtOnce - 1, kNow + Seconds{60})
            .execute();
    for (int i = 0; i < 10; ++i)
        written(f.database, [&](db::Transaction& transaction) {
            return store::count_failures(transaction, {"user:x"}, kNow, Seconds{900});
        });
    const auto state = store::find_code_state(f.database, f.ada, "", kNow);
    CHECK(state.other.in_a_row == 200);
    CHECK(state.other.wait_until == kNow + Seconds{1});
}
