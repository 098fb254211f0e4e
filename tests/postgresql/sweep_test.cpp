// What sweeps delete beside each other, and beside a refresh.
#include "store/sweep.h"
#include "db/write.h"
#include "oauth/access_token.h"
#include "oauth/grant_refresh_token.h"
#include "oauth/refresh_token.h"
#include "postgresql/race.h"
#include "store/access_tokens.h"
#include "store/grants.h"
#include "store/refresh_tokens.h"

using namespace postern;
using test::Driver;
using test::Verdict;

namespace {

constexpr util::Seconds kStep{10};

/// The rows that one sweep at `now` has deleted.
int sweep(db::Database& database, util::Time now) {
    return db::write(database, db::Durability::lazy, [&](db::Transaction& transaction) {
        std::int64_t deleted = 0;
        for (const auto& [table, rows] : store::sweep(transaction, now)) deleted += rows;
        transaction.commit();
        return static_cast<int>(deleted);
    });
}

struct World : test::RaceWorld {
    using RaceWorld::RaceWorld;

    /// A grant whose refresh token expires `after` the start.
    struct Due {
        model::Grant grant;
        std::string refresh;
    };
    Due add_due(const model::User& user, util::Seconds after) {
        Due due{add_grant(user), ""};
        auto issue = oauth::make_refresh_token(context, due.grant, std::nullopt);
        issue.record.expires_at = fixture.clock.now() + after;
        write([&](db::Transaction& transaction) { store::insert_refresh_token(transaction, issue.record); });
        due.refresh = std::move(issue.value);
        return due;
    }
    /// When what is due in this round and before may be deleted.
    util::Time due_at(int round) const { return fixture.clock.now() + (round + 1) * kStep; }
};

Verdict sweeps(Driver driver) {
    constexpr int kGrants = 20;
    World world(driver);
    const auto user = world.fixture.add_user("ada");
    for (int round = 0; round < world.rounds(); ++round)
        for (int each = 0; each < kGrants; ++each) world.add_due(user, (round + 1) * kStep);
    const auto living = world.add_due(user, (world.rounds() + 1) * kStep);
    const auto answers = race(world, test::times(8, [&](oauth::Context& own, int round, int) {
                                  return sweep(own.store, world.due_at(round));
                              }));
    Verdict verdict(answers);
    long deleted = answers.sum();
    const auto last = world.due_at(answers.rounds() - 1);
    for (int more = sweep(world.fixture.database, last); more > 0; more = sweep(world.fixture.database, last))
        deleted += more;
    verdict.expect(0, "rows deleted", deleted, 2L * kGrants * answers.rounds());  // each grant with its token
    verdict.expect(0, "living grants", static_cast<std::int64_t>(world.count_living_grants(user)), 1);
    verdict.expect(0, "living refresh tokens", world.count_active("refresh_token", living.grant), 1);
    return verdict;
}

/// The sweeping process's clock is ahead, so that it finds a grant due which another process still prolongs.
Verdict sweep_beside_refresh(Driver driver) {
    World world(driver);
    world.fixture.settings.access_token_ttl = std::chrono::hours(24);
    std::vector<World::Due> of_rounds;
    for (int round = 0; round < world.rounds(); ++round)
        of_rounds.push_back(world.add_due(world.fixture.add_user("user" + std::to_string(round)), (round + 1) * kStep));
    const test::Act refresh = [&](oauth::Context& own, int round, int) {
        const auto& due = of_rounds[static_cast<std::size_t>(round)];
        const auto checked = oauth::check_refresh_token(own, world.client, {due.refresh, {}, {}});
        if (!checked) return 0;
        const auto& stored = checked->stored;
        const auto access = oauth::make_access_token(own, {stored.grant, checked->scope});
        const auto next = oauth::make_refresh_token(own, stored.grant, stored.token);
        return oauth::redeem_refresh_token(own, *checked, access.record, next.record, oauth::SessionNote::none) ? 1 : 0;
    };
    const test::Act sweeping = [&](oauth::Context& own, int round, int) {
        sweep(own.store, world.due_at(round));
        return 0;
    };
    auto acts = test::times(2, refresh);
    for (int more = 0; more < 3; ++more) acts.push_back(sweeping);
    const auto answers = race(world, acts);
    Verdict verdict(answers);
    int refreshed = 0;
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto& grant = of_rounds[static_cast<std::size_t>(round)].grant;
        const auto yielded = answers.count(round, 1);
        refreshed += yielded > 0;
        verdict.expect(round, "active access tokens", world.count_active("access_token", grant), yielded);
        verdict.expect(round, "active refresh tokens", world.count_active("refresh_token", grant), yielded);
        if (yielded == 0) continue;
        // Its reuse is a sign of theft as long as the grant lives (RFC 9700 §4.14.2).
        const auto& used = of_rounds[static_cast<std::size_t>(round)].refresh;
        verdict.expect(round, "used refresh tokens",
                       oauth::find_refresh_token(world.context, used, jose::Expiry::ignored).has_value(), 1);
    }
    CHECK(refreshed > 0);  // else nothing was raced
    return verdict;
}

}  // namespace

TEST_CASE("sweeps beside each other delete what is due, once, and nothing else") { test::must_hold(sweeps); }

TEST_CASE("a grant that is refreshed is not swept, nor are its tokens, used ones included [RFC 9700 §4.14.2]") {
    test::must_hold_by_locks(sweep_beside_refresh);  // of rows
}
