#include "store/fetched.h"

#include <algorithm>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;

namespace {

store::Fetched fetched(const std::string& body, Time used_at) {
    return {"application/json", body, kNow, kNow + Seconds{300}, used_at};
}

}  // namespace

TEST_CASE("fetched: what was saved is found, replaced, and withdrawn without being lost [FETCH-9]") {
    auto database = test::empty_database();
    CHECK_FALSE(store::find_fetched(database, "a"));
    written(database, store::save_fetched, "a", fetched("one", kNow));
    written(database, store::save_fetched, "b", fetched("other", kNow));
    written(database, store::save_fetched, "a", fetched("two", kNow));
    auto found = store::find_fetched(database, "a");
    REQUIRE(found);
    CHECK(found->body == "two");
    CHECK(found->content_type == "application/json");
    CHECK(found->fetched_at == kNow);
    CHECK(found->fresh_until == kNow + Seconds{300});
    written(database, store::withdraw_fetched, "a");
    found = store::find_fetched(database, "a");
    REQUIRE(found);
    CHECK(found->body == "two");
    CHECK(found->fresh_until == Time{});
    CHECK(store::find_fetched(database, "b")->fresh_until == kNow + Seconds{300});
}

TEST_CASE("fetched: rows are bounded, and the least recently used ones go [FETCH-9, N03]") {
    auto database = test::empty_database();
    written(database, [](auto& t) {
        t.run(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
            " INSERT INTO fetched SELECT 'old ' || i, '', '', 0, 0, $1 + i FROM n",
            util::to_epoch(kNow));
    });
    for (int i = 1; i <= 3; ++i) {
        written(database, store::save_fetched, "new " + std::to_string(i), fetched("", kNow + Seconds{6000 + i}));
    }
    CHECK(count(database, "SELECT count(*) FROM fetched") == store::kMaxFetchedRows);
    CHECK_FALSE(store::find_fetched(database, "old 3"));
    CHECK(store::find_fetched(database, "old 4"));
    CHECK(store::find_fetched(database, "new 3"));
}

TEST_CASE("fetch_limits: counted inside the window, which starts again, and rows that have ended go [FETCH-11]") {
    auto database = test::empty_database();
    const auto counted = [&](const char* key, Time now) {
        return written(database, [&](auto& t) { return store::count_fetch(t, key, now, Seconds{60}); });
    };
    CHECK(counted("host:a", kNow) == 1);
    CHECK(counted("host:a", kNow + Seconds{59}) == 2);
    CHECK(counted("all", kNow) == 1);
    const auto found = [&](Time now) {
        std::array<std::int64_t, store::kFetchKeys> counts{};
        const auto all = store::find_fetch_counts(database, {"failed:a", "host:a", "all", "waited", "", ""}, now);
        std::ranges::transform(all, counts.begin(), &store::FetchCount::count);
        return counts;
    };
    using Counts = std::array<std::int64_t, store::kFetchKeys>;
    CHECK((found(kNow + Seconds{59}) == Counts{0, 2, 1, 0, 0, 0}));
    CHECK((found(kNow + Seconds{60}) == Counts{}));
    const auto waited = [&](std::int64_t amount) {
        return written(database, [&](auto& t) { return store::count_fetch(t, "waited", kNow, Seconds{60}, amount); });
    };
    CHECK(waited(5000) == 5000);
    CHECK(waited(1000) == 6000);
    written(database, [](auto& t) { store::remember_failure(t, "failed:a", {3, kNow + Seconds{30}}); });
    CHECK(found(kNow + Seconds{29})[0] == 3);
    CHECK(found(kNow + Seconds{30})[0] == 0);
    written(database, store::forget_failure, "failed:a");
    CHECK(found(kNow)[0] == 0);
    CHECK(counted("host:a", kNow + Seconds{60}) == 1);
    CHECK(count(database, "SELECT count(*) FROM fetch_limits") == 1);  // the others have ended
}
