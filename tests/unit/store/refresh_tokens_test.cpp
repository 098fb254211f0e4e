// Which of several uses of one refresh token counts (RFC 9700 §4.14.2).
#include "store/refresh_tokens.h"

#include <map>
#include <vector>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using model::ValueHash;
using store::Rotation;

namespace doctest {
template <>
struct StringMaker<Rotation> {
    static String convert(Rotation rotation) {
        const char* const names[] = {"rotated", "retried", "refused", "reused"};
        return names[static_cast<std::size_t>(rotation)];
    }
};
}  // namespace doctest

namespace {

constexpr Seconds kGrace{10};
constexpr Seconds kLifetime{1000};

model::RefreshToken refresh(const std::string& hash, const std::string& parent = "",
                            const std::string& grant_id = "grant") {
    model::RefreshToken token;
    token.token_hash = ValueHash(hash);
    token.grant_id = model::GrantId(grant_id);
    if (!parent.empty()) token.parent_hash = ValueHash(parent);
    token.issued_at = kNow;
    token.expires_at = kNow + kLifetime;
    return token;
}

db::Database with_token() {
    auto database = sample_database();
    written(database, [](auto& t) {
        store::insert_grant(t, grant());
        store::insert_refresh_token(t, refresh("A"));
    });
    return database;
}

/// One use of `token`, `after` seconds from the start; what it yields is called `successor`.
struct Use {
    std::string token;
    int after;
    Rotation expected;
    std::string successor;
};

void check_uses(const std::string& story, const std::vector<Use>& uses, Seconds grace = kGrace) {
    CAPTURE(story);
    auto database = with_token();
    for (const Use& use : uses) {
        CAPTURE(use.token);
        CAPTURE(use.after);
        written(database, [&](auto& t) {
            CHECK(rotate(t, use.token, kNow + Seconds{use.after}, grace, use.successor) == use.expected);
            if (!use.successor.empty()) store::insert_refresh_token(t, refresh(use.successor, use.token));
        });
    }
}

bool is_active(db::Database& database, const std::string& hash, Time now = kNow) {
    const auto stored = find_refresh(database, hash);
    return stored && store::is_active(*stored, now);
}

}  // namespace

TEST_CASE(
    "rotate_refresh_token: the first use counts, one retry inside the grace gets a sibling, one line survives [RFC "
    "6749 §6f, F01]") {
    check_uses(
        "a chain",
        {{"A", 0, Rotation::rotated, "B"}, {"B", 1, Rotation::rotated, "C"}, {"C", 999, Rotation::rotated, "D"}});
    check_uses(
        "a lost answer, at the last second of the grace",
        {{"A", 0, Rotation::rotated, "B"}, {"A", 10, Rotation::retried, "B2"}, {"B2", 500, Rotation::rotated, "C"}});
    check_uses("a second after the grace", {{"A", 0, Rotation::rotated, "B"}, {"A", 11, Rotation::reused, ""}});
    check_uses("a third try inside the grace", {{"A", 0, Rotation::rotated, "B"},
                                                {"A", 1, Rotation::retried, "B2"},
                                                {"A", 2, Rotation::refused, ""},
                                                {"A", 10, Rotation::refused, ""},
                                                {"A", 11, Rotation::reused, ""}});
    check_uses("a retry does not light the grace anew",
               {{"A", 0, Rotation::rotated, "B"}, {"A", 9, Rotation::retried, "B2"}, {"A", 12, Rotation::reused, ""}});
    check_uses("the successor was used: nobody waits for its predecessor's answer any more",
               {{"A", 0, Rotation::rotated, "B"}, {"B", 1, Rotation::rotated, "C"}, {"A", 2, Rotation::reused, ""}});
    check_uses("one of two siblings is used: the other is void, first without harm, later as reuse",
               {{"A", 0, Rotation::rotated, "B"},
                {"A", 1, Rotation::retried, "B2"},
                {"B2", 5, Rotation::rotated, "C"},
                {"B", 15, Rotation::refused, ""},
                {"B", 16, Rotation::reused, ""}});
    check_uses("both siblings at once: one line", {{"A", 0, Rotation::rotated, "B"},
                                                   {"A", 0, Rotation::retried, "B2"},
                                                   {"B", 0, Rotation::rotated, "C"},
                                                   {"B2", 0, Rotation::refused, ""},
                                                   {"C", 0, Rotation::rotated, "D"},
                                                   {"A", 0, Rotation::reused, ""}});
    check_uses("a sibling's own lost answer", {{"A", 0, Rotation::rotated, "B"},
                                               {"A", 1, Rotation::retried, "B2"},
                                               {"B2", 5, Rotation::rotated, "C"},
                                               {"B2", 6, Rotation::retried, "C2"},
                                               {"C2", 7, Rotation::rotated, "D"},
                                               {"C", 8, Rotation::refused, ""}});
    check_uses("a clock that went back does not end the grace",
               {{"A", 100, Rotation::rotated, "B"}, {"A", 40, Rotation::retried, "B2"}});
    check_uses("a clock that went back by more than a minute does not make it hours long",
               {{"A", 100, Rotation::rotated, "B"}, {"A", 39, Rotation::reused, ""}});
}

TEST_CASE("rotate_refresh_token: without a grace the first retry is reuse") {
    check_uses("the same second", {{"A", 0, Rotation::rotated, "B"}, {"A", 0, Rotation::reused, ""}}, Seconds{0});
    check_uses("void siblings cannot come about",
               {{"A", 0, Rotation::rotated, "B"}, {"B", 0, Rotation::rotated, "C"}, {"C", 0, Rotation::rotated, "D"}},
               Seconds{0});
}

TEST_CASE("rotate_refresh_token: an invalid one is refused, rotated or not, and nothing is concluded from it") {
    check_uses("never issued", {{"Z", 0, Rotation::refused, ""}});
    check_uses("expired, at the very second", {{"A", 1000, Rotation::refused, ""}});
    check_uses(
        "expired after it was used",
        {{"A", 990, Rotation::rotated, "B"}, {"A", 1000, Rotation::refused, ""}, {"B", 1000, Rotation::refused, ""}});
    const auto kill = [](auto action) {
        auto database = with_token();
        written(database, [&](auto& t) {
            action(t);
            CHECK(rotate(t, "A", kNow + Seconds{1}, kGrace) == Rotation::refused);
        });
    };
    kill([](auto& t) { store::revoke_refresh_tokens(t, model::GrantId("grant"), kNow); });
    kill([](auto& t) { store::end_grant(t, model::GrantId("grant"), kNow); });
    kill([](auto& t) { store::end_user_access(t, model::Subject("sub-1"), kNow); });
    kill([](auto& t) { store::remove_user(t, model::Subject("sub-1")); });
}

TEST_CASE("revoke_refresh_tokens: all of this grant, used and unused, and none of another") {
    auto database = with_token();
    written(database, [](auto& t) {
        store::insert_grant(t, grant("other"));
        store::insert_refresh_token(t, refresh("O", "", "other"));
        REQUIRE(rotate(t, "A", kNow, kGrace) == Rotation::rotated);
        store::insert_refresh_token(t, refresh("B", "A"));
        store::insert_access_token(t, token());
        store::revoke_refresh_tokens(t, model::GrantId("grant"), kNow);
    });
    CHECK_FALSE(is_active(database, "B"));
    CHECK(is_active(database, "O"));
    CHECK(store::is_active(*find_token(database, "token"), kNow));
    written(database, [](auto& t) {
        // Neither the current one nor a retry of the rotated one brings the line back to life.
        CHECK(rotate(t, "B", kNow, kGrace) == Rotation::refused);
        CHECK(rotate(t, "A", kNow, kGrace) == Rotation::refused);
    });
}

TEST_CASE("is_active: a refresh token, with each reason why it is not [IF22, IF56, RFC 7662 §2.2b]") {
    using Change = void (*)(store::StoredRefreshToken&);
    auto database = with_token();
    const auto good = *find_refresh(database, "A");
    CHECK(store::is_active(good, kNow));
    CHECK(store::is_active(good, kNow + kLifetime - Seconds{1}));
    CHECK_FALSE(store::is_active(good, kNow + kLifetime));
    for (const Change change :
         std::vector<Change>{[](auto& s) { s.token.rotated_at = kNow; }, [](auto& s) { s.token.revoked_at = kNow; },
                             [](auto& s) { s.grant.ended_at = kNow; }, [](auto& s) { s.client.enabled = false; },
                             [](auto& s) { s.user_enabled = false; }}) {
        auto stored = good;
        change(stored);
        CHECK_FALSE(store::is_active(stored, kNow));
    }
}

TEST_CASE("find_refresh_token: gives back what was stored, with its grant [IF21]") {
    auto database = with_token();
    written(database, [](auto& t) { store::insert_refresh_token(t, refresh("B", "A")); });
    const auto stored = find_refresh(database, "B");
    REQUIRE(stored);
    CHECK(stored->token.parent_hash == ValueHash("A"));
    CHECK(stored->token.issued_at == kNow);
    CHECK(stored->token.expires_at == kNow + kLifetime);
    CHECK(stored->grant.client_id == model::ClientId("client"));
    CHECK(stored->client.enabled);
    CHECK(stored->user_enabled);
    CHECK_FALSE(find_refresh(database, "C"));
}

TEST_CASE("find_refresh_token: one that names its grant is found there alone, a random value by itself") {
    auto database = with_token();
    auto opaque = refresh("O");
    opaque.is_opaque = true;
    written(database, [&](auto& t) {
        store::insert_grant(t, grant("other"));
        store::insert_refresh_token(t, opaque);
    });
    const auto found = [&](const char* grant, const char* hash) {
        return store::find_refresh_token(database, model::GrantId(grant), ValueHash(hash)).has_value();
    };
    CHECK(found("grant", "A"));
    CHECK_FALSE(found("other", "A"));
    CHECK_FALSE(found("", "A"));
    const auto stored = store::find_opaque_refresh_token(database, ValueHash("O"));
    REQUIRE(stored);
    CHECK(stored->token.is_opaque);
    CHECK(stored->grant.id == model::GrantId("grant"));
    CHECK_FALSE(store::find_opaque_refresh_token(database, ValueHash("A")));  // it would have had to be signed
}

TEST_CASE("rotate_refresh_token: a sibling is void by its parent's word, whatever else the grant has") {
    auto database = with_token();
    written(database, [](auto& t) {
        CHECK(rotate(t, "A", kNow, kGrace, "B") == Rotation::rotated);
        store::insert_refresh_token(t, refresh("B", "A"));
        CHECK(rotate(t, "A", kNow, kGrace, "B2") == Rotation::retried);
        store::insert_refresh_token(t, refresh("B2", "A"));
        store::insert_refresh_token(t, refresh("X", "Y"));
        CHECK(rotate(t, "B", kNow, kGrace, "C") == Rotation::rotated);
        store::insert_refresh_token(t, refresh("C", "B"));
    });
    CHECK_FALSE(is_active(database, "B"));
    CHECK_FALSE(is_active(database, "B2"));
    CHECK(is_active(database, "C"));
    CHECK(is_active(database, "X"));
    CHECK(count(database, "SELECT count(*) FROM refresh_tokens WHERE state = 'superseded'") == 1);
}

TEST_CASE("race: of many processes with one refresh token one rotates and one retries [F04]") {
    constexpr int kProcesses = 6;
    const DatabaseFile file;
    {
        db::Database database(file.path, db::Access::read_write);
        add_client_and_user(database);
        written(database, [](auto& t) {
            store::insert_grant(t, grant());
            store::insert_refresh_token(t, refresh("A"));
        });
    }
    std::map<int, int> outcomes;
    for (const int outcome : race(file.path, kProcesses, [](db::Database& database) {
             return static_cast<int>(written(database, [](auto& t) { return rotate(t, "A", kNow, kGrace); }));
         }))
        ++outcomes[outcome];
    CHECK(outcomes == std::map<int, int>{{static_cast<int>(Rotation::rotated), 1},
                                         {static_cast<int>(Rotation::retried), 1},
                                         {static_cast<int>(Rotation::refused), kProcesses - 2}});
}
