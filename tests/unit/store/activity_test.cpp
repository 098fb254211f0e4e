#include "store/activity.h"

#include "store/sweep.h"
#include "unit/store/two_users.h"

using namespace postern;
using namespace postern::test;
using model::ActivityKind;
using model::ActivityLine;
using model::Subject;

namespace {

struct Fixture : TwoUsers {
    void add(const Subject& subject, ActivityKind what, Time at = kNow, const std::string& detail = "") {
        written(database,
                [&](auto& t) { store::add_activity(t, subject, {.at = at, .what = what, .detail = detail}); });
    }
    void add_once(const Subject& subject, ActivityKind what, Time at = kNow) {
        written(database, [&](auto& t) { store::add_activity_once(t, subject, {.at = at, .what = what}); });
    }
    std::vector<ActivityLine> lines(const Subject& subject, Time now = kNow) {
        return store::list_activity(database, subject, now);
    }
    std::int64_t rows() { return count(database, "SELECT count(*) FROM activity"); }
};

}  // namespace

TEST_CASE("activity: all of a line comes back, to its user alone [ACCOUNT-13] [ACCOUNT-16]") {
    Fixture f;
    const ActivityLine line{kNow, ActivityKind::passkey_added, "Firefox on Linux", "192.0.2.1", "Adas Schlüssel"};
    written(f.database, store::add_activity, f.ada, line);
    CHECK(f.lines(f.ada) == std::vector{line});
    CHECK(f.lines(f.bob).empty());
}

TEST_CASE("activity: the latest first, in the order in which they happened within a second [ACCOUNT-13]") {
    Fixture f;
    for (const char* name : {"first", "second", "third"}) f.add(f.ada, ActivityKind::passkey_added, kNow, name);
    f.add(f.ada, ActivityKind::signed_in, kNow - Seconds{60}, "the clock was set back");
    std::vector<std::string> details;
    for (const auto& line : f.lines(f.ada)) details.push_back(line.detail);
    CHECK(details == std::vector<std::string>{"the clock was set back", "third", "second", "first"});
}

TEST_CASE("activity: a user has 50 lines at most, and another user's stay [ACCOUNT-13] [STORE-1]") {
    Fixture f;
    f.add(f.bob, ActivityKind::app_added);
    for (int i = 0; i < 50; ++i) f.add(f.ada, ActivityKind::signed_in, kNow, std::to_string(i));
    CHECK(f.rows() == 51);
    CHECK(f.lines(f.ada).back().detail == "0");
    for (int i = 50; i < 130; ++i) f.add(f.ada, ActivityKind::signed_in, kNow, std::to_string(i));
    CHECK(f.rows() == 51);
    CHECK(f.lines(f.ada).size() == 50);
    CHECK(f.lines(f.ada).front().detail == "129");
    CHECK(f.lines(f.ada).back().detail == "80");
    CHECK(f.lines(f.bob).size() == 1);
}

TEST_CASE("activity: what can be caused again and again is one line a day, each sort and each user apart [TOTP-10]") {
    Fixture f;
    const auto failed = ActivityKind::second_step_failed_elsewhere;
    for (int i = 0; i < 100; ++i) f.add_once(f.ada, failed, kNow + Seconds{i});
    CHECK(f.lines(f.ada).size() == 1);
    CHECK(f.lines(f.ada)[0].at == kNow);
    f.add_once(f.ada, ActivityKind::second_step_failed);
    f.add_once(f.bob, failed);
    CHECK(f.lines(f.ada).size() == 2);
    CHECK(f.lines(f.bob).size() == 1);
    const Time day_after = kNow + store::kActivityOnce;
    f.add_once(f.ada, failed, day_after - Seconds{1});
    CHECK(f.lines(f.ada).size() == 2);
    f.add_once(f.ada, failed, day_after);
    CHECK(f.lines(f.ada).size() == 3);
    f.add_once(f.ada, failed, kNow - Seconds{86400});  // the clock was set back
    CHECK(f.lines(f.ada).size() == 3);
}

TEST_CASE("activity: a line is shown for 90 days, and then swept [ACCOUNT-13]") {
    Fixture f;
    f.add(f.ada, ActivityKind::signed_in, kNow);
    f.add(f.ada, ActivityKind::app_added, kNow + Seconds{1});
    const Time last = kNow + store::kActivityRetention;
    const auto sweep = [&](Time now) {
        return written(f.database, [&](auto& t) { return store::sweep(t, now)["activity"]; });
    };
    CHECK(f.lines(f.ada, last - Seconds{1}).size() == 2);
    CHECK(sweep(last - Seconds{1}) == 0);
    CHECK(f.lines(f.ada, last).size() == 1);
    CHECK(store::count_sweepable(f.database, last)["activity"] == 1);
    CHECK(sweep(last) == 1);
    CHECK(f.rows() == 1);
    f.add(f.ada, ActivityKind::app_removed, last);  // its number is that of no other line
    CHECK(f.lines(f.ada, last).size() == 2);
}

TEST_CASE("activity: it goes with its user, and another's stays [STORE-4]") {
    Fixture f;
    f.add(f.ada, ActivityKind::signed_in);
    f.add(f.bob, ActivityKind::signed_in);
    written(f.database, store::remove_user, f.ada, kNow, store::LogoutNotices{});
    CHECK(f.rows() == 1);
    CHECK(f.lines(f.bob).size() == 1);
}

TEST_CASE("activity: a transaction that is not committed leaves no line [ACCOUNT-13]") {
    Fixture f;
    {
        db::Transaction t(f.database, db::Durability::lazy);
        store::add_activity(t, f.ada, {.at = kNow});
        store::add_activity_once(t, f.ada, {.at = kNow, .what = ActivityKind::second_step_failed});
    }
    CHECK(f.rows() == 0);
}

TEST_CASE("activity: a word of a later release is left out") {
    Fixture f;
    f.add(f.ada, ActivityKind::signed_in);
    written(f.database, [](auto& t) { t.run("UPDATE activity SET what = 'teleported'"); });
    CHECK(f.lines(f.ada).empty());
}
