#include "store/factors.h"

#include <algorithm>

#include "store/login_attempts.h"
#include "store/second_factor.h"
#include "unit/store/two_users.h"

using namespace postern;
using namespace postern::test;
using model::Subject;

namespace {

struct Fixture : TwoUsers {
    void set_app(const Subject& subject, const char* sealed, std::int64_t step, Time at) {
        written(database, store::replace_totp, subject, sealed, step, at);
    }
    bool spend(const Subject& subject, std::int64_t step) {
        return written(database, store::spend_totp_step, subject, step, kNow + Seconds{5});
    }
    void set_codes(const Subject& subject, const std::vector<std::string>& hashes) {
        written(database, store::replace_recovery_codes, subject, hashes, kNow);
    }
    bool spend(const Subject& subject, const char* hash) {
        return written(database, store::spend_recovery_code, subject, hash, kNow);
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
    const auto remove = [&] { return written(f.database, store::remove_totp, f.ada); };
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
    CHECK(written(f.database, store::remove_recovery_codes, f.ada) == 1);
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
    CHECK(written(f.database, store::remove_dead_recovery_codes, present) == 2);
    CHECK(is_live(f.ada));
    CHECK(store::find_factors(f.database, f.ada).unused_codes == 1);
    CHECK(store::find_factors(f.database, f.bob).unused_codes == 0);
    CHECK(f.spend(f.ada, (present + "a").c_str()));
    CHECK_FALSE(is_live(f.ada));
}

TEST_CASE("of two connections that spend one step or one code, one does [STORE-2, CODE-3, RFC 6238 §5.2b]") {
    const DatabaseFile file;
    db::Database first(file.path, db::Access::read_write);
    db::Database second(file.path, db::Access::read_write);
    const Subject ada("ada");
    written(first, [&](auto& t) {
        store::insert_user(t, {ada, "ada", {}, true, kNow, kNow}, "hash");
        store::replace_totp(t, ada, "sealed", 1, kNow);
        store::replace_recovery_codes(t, ada, {"code"}, kNow);
    });
    // Both have looked before either spends.
    CHECK(store::find_totp(first, ada)->last_step == store::find_totp(second, ada)->last_step);
    CHECK(store::has_unused_code(first, ada, "code"));
    CHECK(store::has_unused_code(second, ada, "code"));
    const auto spend = [&](db::Database& database) {
        return written(database, [&](auto& t) {
            return std::pair(store::spend_totp_step(t, ada, 2, kNow), store::spend_recovery_code(t, ada, "code", kNow));
        });
    };
    CHECK((spend(first) == std::pair(true, true)));
    CHECK((spend(second) == std::pair(false, false)));
}

TEST_CASE("a removed user leaves neither factors nor counters [STORE-4]") {
    Fixture f;
    f.set_app(f.ada, "sealed", 1, kNow);
    f.set_codes(f.ada, {"a"});
    written(f.database, [&](auto& t) {
        store::count_code_failure(t, f.ada, store::CodePlace::other);
        store::delay_codes(t, f.ada, store::CodePlace::other, kNow + Seconds{60});
        return store::remove_user(t, f.ada, kNow, {});
    });
    CHECK(count(f.database, "SELECT count(*) FROM totp_secrets") == 0);
    CHECK(count(f.database, "SELECT count(*) FROM recovery_codes") == 0);
    CHECK(count(f.database, "SELECT count(*) FROM login_attempts") == 0);
}

TEST_CASE("the stamp grows with a password and with disabling, not with claims or a name [STORE-6]") {
    Fixture f;
    model::User ada{f.ada, "ada", {}, true, kNow, kNow};
    const auto stamp = [&] { return store::find_stamp(f.database, f.ada); };
    const auto change = [&](auto action) { written(f.database, [&](auto& t) { action(t); }); };
    const auto save = [&](auto& t) { store::update_user(t, ada); };
    CHECK(stamp() == 0);
    ada.username = "ada lovelace";
    change(save);
    CHECK(stamp() == 0);
    change([&](auto& t) { store::set_password_hash(t, f.ada, "new", kNow); });
    CHECK(stamp() == 1);
    change([&](auto& t) { store::replace_password(t, f.ada, "newer", kNow, {}); });
    CHECK(stamp() == 2);
    ada.enabled = false;
    change(save);
    CHECK(stamp() == 3);
    change(save);
    CHECK(stamp() == 3);
    ada.enabled = true;
    change(save);
    CHECK(stamp() == 3);
    change([&](auto& t) { store::raise_stamp(t, f.ada); });
    CHECK(stamp() == 4);
    CHECK(store::find_stamp(f.database, f.bob) == 0);
    CHECK(store::find_stamp(f.database, Subject("nobody")) == 0);
}

TEST_CASE("let_enrol: until its time, and the next change of the password or a factor ends it [POLICY-4, STORE-6]") {
    for (const UserChange& change : kUserChanges) {
        CAPTURE(std::string(change.when));
        Fixture f;
        const auto until = [&](const Subject& subject) {
            return store::find_second_factor(f.database, subject, "op.example").enrol_until;
        };
        CHECK(until(f.ada) == Time{});
        written(f.database, store::let_enrol, f.ada, kNow + Seconds{60});
        CHECK(until(f.ada) == kNow + Seconds{60});
        CHECK(until(f.bob) == Time{});
        change_ada(f.database, change);
        CHECK(until(f.ada) == (change.ends ? Time{} : kNow + Seconds{60}));
    }
}

TEST_CASE("failures of codes: counted for each place without an end, and cleared together [TOTP-9]") {
    using store::CodePlace;
    Fixture f;
    const auto fail = [&](CodePlace place) { return written(f.database, store::count_code_failure, f.ada, place); };
    const Time later = kNow + std::chrono::hours(24 * 3650);
    CHECK(fail(CodePlace::other) == 1);
    CHECK(fail(CodePlace::other) == 2);
    CHECK(fail(CodePlace::known) == 1);
    written(f.database, [&](auto& t) {
        store::delay_codes(t, f.ada, CodePlace::other, kNow + Seconds{60});
        store::remember_place(t, "known:here", kNow + Seconds{100});
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
    written(f.database, [&](auto& t) { store::clear_code_failures(t, f.ada); });
    CHECK(store::find_code_state(f.database, f.ada, "", kNow).other.in_a_row == 0);
    CHECK(count(f.database, "SELECT count(*) FROM login_attempts") == 1);  // the place
}

TEST_CASE("failures of codes are no pressure on the login page, and floods of names do not end a wait [TOTP-9]") {
    Fixture f;
    written(f.database, [&](auto& t) {
        for (int i = 0; i < 200; ++i) store::count_code_failure(t, f.ada, store::CodePlace::other);
        store::delay_codes(t, f.ada, store::CodePlace::other, kNow + Seconds{1});
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
        written(f.database, [&](auto& t) { return store::count_failures(t, {"user:x"}, kNow, Seconds{900}); });
    const auto state = store::find_code_state(f.database, f.ada, "", kNow);
    CHECK(state.other.in_a_row == 200);
    CHECK(state.other.wait_until == kNow + Seconds{1});
}
