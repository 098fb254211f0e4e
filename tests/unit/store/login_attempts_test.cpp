#include "store/login_attempts.h"

#include <algorithm>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;

namespace {

constexpr Seconds kWindow{900};

store::Attempts fail(db::Database& database, const char* key, Time now) {
    return written(database, [&](auto& t) { return store::count_failures(t, {key}, now, kWindow); });
}

}  // namespace

TEST_CASE("measure_pressure: each failure once, and each counter by the limit of its sort, inside the window") {
    auto database = test::empty_database();
    const auto fails = [&](const char* pair, const char* user, const char* address, int times, Time now) {
        for (int i = 0; i < times; ++i) {
            for (const char* key : {pair, user, address}) fail(database, key, now);
        }
    };
    fails("pair:a1", "user:a", "address:1", 3, kNow);
    fails("pair:b1", "user:b", "address:1", 2, kNow + Seconds{10});
    fails("pair:b2", "user:b", "address:2", 1, kNow + Seconds{10});
    const auto pressure = [&](Time now, std::int64_t pair_limit, std::int64_t alone_limit) {
        const auto found = store::measure_pressure(database, now, pair_limit, alone_limit);
        return std::pair(found.failures, found.throttled);
    };
    using Pair = std::pair<std::int64_t, std::int64_t>;
    CHECK((pressure(kNow + Seconds{20}, 4, 6) == Pair(6, 0)));
    CHECK((pressure(kNow + Seconds{20}, 3, 6) == Pair(6, 1)));
    CHECK((pressure(kNow + Seconds{20}, 3, 5) == Pair(6, 2)));
    CHECK((pressure(kNow + Seconds{20}, 1, 3) == Pair(6, 6)));
    // The address's window began with the first failure and ends with all that it counted.
    CHECK((pressure(kNow + kWindow, 3, 5) == Pair(1, 0)));
    CHECK((pressure(kNow + kWindow, 1, 3) == Pair(1, 3)));
    CHECK((pressure(kNow + kWindow + Seconds{10}, 1, 1) == Pair(0, 0)));
}

TEST_CASE("login attempts: failures add up inside the window, which failures do not prolong") {
    auto database = test::empty_database();
    CHECK(store::find_attempts(database, {"key"}, kNow)[0].failures == 0);
    for (int i = 1; i <= 12; ++i) {
        const auto attempts = fail(database, "key", kNow + Seconds{i});
        CHECK(attempts.failures == i);
        CHECK(attempts.until == kNow + Seconds{1} + kWindow);
    }
    const auto found = store::find_attempts(database, {"key"}, kNow + Seconds{20})[0];
    CHECK(found.failures == 12);
    CHECK(found.until == kNow + Seconds{1} + kWindow);
    CHECK(store::find_attempts(database, {"Key"}, kNow)[0].failures == 0);
}

TEST_CASE("login attempts: a window that has ended counts nothing and starts again: a delay, not a lock") {
    auto database = test::empty_database();
    for (int i = 0; i < 5; ++i) fail(database, "key", kNow);
    const Time end = kNow + kWindow;
    CHECK(store::find_attempts(database, {"key"}, end - Seconds{1})[0].failures == 5);
    CHECK(store::find_attempts(database, {"key"}, end)[0].failures == 0);
    const auto anew = fail(database, "key", end);
    CHECK(anew.failures == 1);
    CHECK(anew.until == end + kWindow);
}

TEST_CASE("remember_place: known until its end, or longer when remembered again, and never a failure") {
    auto database = test::empty_database();
    const auto remember = [&](const char* key, Time until) { written(database, store::remember_place, key, until); };
    const auto is_known = [&](const char* key, Time now) {
        return store::find_attempts(database, {"other", key}, now)[1].until > now;
    };
    CHECK_FALSE(is_known("known:a", kNow));
    remember("known:a", kNow + Seconds{10});
    CHECK(is_known("known:a", kNow + Seconds{9}));
    CHECK_FALSE(is_known("known:a", kNow + Seconds{10}));
    CHECK_FALSE(is_known("known:b", kNow));
    remember("known:a", kNow + Seconds{20});
    CHECK(is_known("known:a", kNow + Seconds{19}));
    CHECK(store::measure_pressure(database, kNow, 1, 1).throttled == 0);
}

TEST_CASE("clear_failures: of this key alone") {
    auto database = test::empty_database();
    fail(database, "a", kNow);
    fail(database, "b", kNow);
    written(database, store::clear_failures, "a");
    CHECK(store::find_attempts(database, {"a"}, kNow)[0].failures == 0);
    CHECK(store::find_attempts(database, {"b"}, kNow)[0].failures == 1);
}

TEST_CASE("login attempts: counted exactly by processes that fail at the same time [L09]") {
    constexpr int kProcesses = 6;
    constexpr int kEach = 50;
    const DatabaseFile file;
    for (const int failed : race(file.path, kProcesses, [](db::Database& database) {
             for (int n = 0; n < kEach; ++n) fail(database, "key", kNow);
             return 0;
         }))
        CHECK(failed == 0);
    db::Database database(file.path, db::Access::query_only);
    CHECK(store::find_attempts(database, {"key"}, kNow)[0].failures == kProcesses * kEach);
}

TEST_CASE("login attempts: rows are bounded, whatever callers send [Q05]") {
    auto database = test::empty_database();
    const auto fill = [&](std::int64_t rows, Time end) {
        constexpr std::int64_t kAtOnce = 5000;  // a server answers in time, also on a busy machine
        for (std::int64_t first = 1; first <= rows; first += kAtOnce) {
            database
                .query(
                    "WITH RECURSIVE n(i) AS (SELECT $3 UNION ALL SELECT i + 1 FROM n WHERE i < $1)"
                    " INSERT INTO login_attempts SELECT 'user:flood ' || $2 || ' ' || i, 1, $2 FROM n",
                    std::min(first + kAtOnce - 1, rows), util::to_epoch(end), first)
                .execute();
        }
    };
    constexpr int kPlaces = 50;  // neither counted nor thrown away
    for (int i = 0; i < kPlaces; ++i) {
        written(database, store::remember_place, "known:" + std::to_string(i), kNow + Seconds{200 + i});
    }
    const char* const counters = "SELECT count(*) FROM login_attempts WHERE failures > 0";
    fill(1, kNow + Seconds{1});
    fill(store::kMaxAttemptRows - 1, kNow + Seconds{100});
    CHECK(fail(database, "user:one more", kNow).failures == 1);
    CHECK(count(database, counters) == store::kMaxAttemptRows);
    // The oldest went, the newest is there.
    CHECK(store::find_attempts(database, {"user:flood 1000001 1"}, kNow)[0].failures == 0);
    CHECK(store::find_attempts(database, {"user:one more"}, kNow)[0].failures == 1);

    fail(database, "user:later", kNow + Seconds{100});  // all of the flood has expired: it goes a little at a time
    CHECK(count(database, counters) < store::kMaxAttemptRows);
}
