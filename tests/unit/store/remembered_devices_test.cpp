#include "store/remembered_devices.h"

#include "store/sessions.h"
#include "store/sweep.h"
#include "unit/store/two_users.h"

using namespace postern;
using namespace postern::test;
using model::Subject;
using model::ValueHash;

namespace {

struct Fixture : TwoUsers {
    bool remember(const char* value, const char* subject = "ada") {
        return written(database, [&](auto& t) {
            return store::remember_device(t, {.token_hash = ValueHash(value),
                                              .id = std::string("id of ") + value,
                                              .subject = Subject(subject),
                                              .agent = "Firefox on Linux",
                                              .created_at = kNow,
                                              .last_used_at = kNow,
                                              .expires_at = kNow + Seconds{60}});
        });
    }
    std::optional<Time> use(const char* value, const char* fresh, const char* subject = "ada", Time now = kNow,
                            Seconds lifetime = Seconds{60}) {
        return written(database, store::use_device, Subject(subject), ValueHash(value), ValueHash(fresh), now,
                       lifetime);
    }
    std::size_t listed(Time now = kNow) { return store::devices_of(database, ada, now, Seconds{60}).size(); }
};

}  // namespace

TEST_CASE("remembered devices: a value counts once, and the next one as long as the first [DEVICE-2]") {
    Fixture f;
    REQUIRE(f.remember("one"));
    CHECK(f.use("one", "two", "ada", kNow + Seconds{59}) == kNow + Seconds{60});
    CHECK_FALSE(f.use("one", "three"));
    CHECK(f.use("two", "three"));
    CHECK_FALSE(f.use("three", "four", "ada", kNow + Seconds{60}));
    const auto devices = store::devices_of(f.database, f.ada, kNow, Seconds{60});
    REQUIRE(devices.size() == 1);
    CHECK(devices[0].token_hash == ValueHash("three"));
    CHECK(devices[0].id == "id of one");
    CHECK(devices[0].agent == "Firefox on Linux");
    CHECK(devices[0].created_at == kNow);
    CHECK(f.listed(kNow + Seconds{60}) == 0);
}

TEST_CASE("remembered devices: a lifetime that was lowered counts from when the device was remembered [DEVICE-2]") {
    struct Row {
        const char* when;
        Seconds lifetime;  ///< remembered for a minute
        Seconds later;
        std::optional<Seconds> left;
    };
    const Row rows[] = {
        {"as it was", Seconds{60}, Seconds{59}, Seconds{1}},
        {"raised: what was said then counts", Seconds{90}, Seconds{59}, Seconds{1}},
        {"raised, expired", Seconds{90}, Seconds{60}, std::nullopt},
        {"lowered", Seconds{20}, Seconds{19}, Seconds{1}},
        {"lowered, over", Seconds{20}, Seconds{20}, std::nullopt},
        {"turned off", Seconds{0}, Seconds{0}, std::nullopt},
    };
    for (const Row& row : rows) {
        CAPTURE(row.when);
        Fixture f;
        REQUIRE(f.remember("one"));
        const Time now = kNow + row.later;
        const auto listed = store::devices_of(f.database, f.ada, now, row.lifetime);
        const auto expires_at = f.use("one", "two", "ada", now, row.lifetime);
        CHECK(expires_at.has_value() == row.left.has_value());
        CHECK(listed.size() == (row.left ? 1 : 0));
        if (row.left) CHECK(*expires_at == now + *row.left);
        if (row.left) CHECK(listed.at(0).expires_at == *expires_at);
    }
}

TEST_CASE("remembered devices: of one user, and of one who is there [DEVICE-2, STORE-4]") {
    Fixture f;
    CHECK_FALSE(f.remember("none", "sub-none"));
    REQUIRE(f.remember("one"));
    for (const char* other : {"", "ONE", "one ", "on"}) CHECK_FALSE(f.use(other, "two"));
    CHECK_FALSE(f.use("one", "two", "bob"));
    CHECK(f.use("one", "two"));
    written(f.database, store::remove_user, f.ada, kNow, store::LogoutNotices{});
    CHECK(count(f.database, "SELECT count(*) FROM remembered_devices") == 0);
}

TEST_CASE(
    "remembered devices: void when the password or a factor changes, or the user is disabled [DEVICE-4, STORE-6, L37]") {
    for (const UserChange& change : kUserChanges) {
        CAPTURE(change.when);
        Fixture f;
        REQUIRE(f.remember("one"));
        CHECK(f.listed() == 1);
        change_ada(f.database, change);
        CHECK(f.listed() == (change.ends ? 0 : 1));
        CHECK(f.use("one", "two").has_value() != change.ends);
        // A new one counts again.
        REQUIRE(f.remember("new"));
        CHECK(f.use("new", "newer"));
    }
}

TEST_CASE("remembered devices: forgotten one by one, by the browser, or all of a user [DEVICE-4, ACCOUNT-16]") {
    Fixture f;
    for (const char* value : {"one", "two", "three", "four"}) REQUIRE(f.remember(value));
    REQUIRE(f.remember("of bob", "bob"));
    const auto forget = [&](const char* subject, const char* id) {
        return written(f.database, [&](auto& t) { return store::forget_device(t, Subject(subject), id); });
    };
    CHECK_FALSE(forget("bob", "id of one"));
    CHECK(forget("ada", "id of one"));
    CHECK_FALSE(forget("ada", "id of one"));
    written(f.database, [&](auto& t) { store::forget_device(t, ValueHash("two")); });
    CHECK(f.listed() == 2);
    CHECK(store::subjects_with_sessions(f.database).size() == 2);
    CHECK(written(f.database, store::forget_devices, f.ada) == 2);
    CHECK(f.listed() == 0);
    CHECK(f.use("of bob", "next", "bob"));
}

TEST_CASE("remembered devices: swept when they have expired") {
    Fixture f;
    REQUIRE(f.remember("one"));
    const auto swept = [&](Time now) {
        return written(f.database, [&](auto& t) { return store::sweep(t, now); }).at("remembered_devices");
    };
    CHECK(swept(kNow + Seconds{59}) == 0);
    CHECK(swept(kNow + Seconds{60}) == 1);
}
