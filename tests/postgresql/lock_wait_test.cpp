// How long a transaction waits for what another session has locked. The server itself sets no limit here.
#include "db/write.h"
#include "postgresql/race.h"
#include "store/grants.h"
#include "store/sweep.h"
#include "unit/store/fixture.h"

using namespace postern;
using test::mentions;
using test::refusal;

namespace {

struct World : test::RaceWorld {
    World() : RaceWorld(test::Driver::shipped) {}

    /// `wait` is for each answer of the server.
    db::Database open(std::chrono::milliseconds wait) const {
        return {uri + "%20-clock_timeout%3D0", db::Access::read_write, wait};  // behind the options of the URI
    }
    void end_grant(db::Transaction& transaction) const { store::end_grant(transaction, grant.id, fixture.clock.now()); }

    const model::Grant grant = add_grant(fixture.add_user("ada"));
};

const std::string kLockTimeout = "55P03";

}  // namespace

TEST_CASE("a transaction gives way when its wait for a row is over, and a sweep when that for a table is") {
    constexpr std::chrono::milliseconds kWait{50};
    World world;
    db::Database waiting = world.open(std::chrono::hours(1));
    db::Transaction holding(world.fixture.database, db::Durability::lazy);
    world.end_grant(holding);
    holding.run("LOCK TABLE login_attempts IN EXCLUSIVE MODE");
    CHECK(mentions(refusal<db::StoreBusy>([&] {
                       db::write(waiting, db::Durability::full, kWait,
                                 [&](db::Transaction& transaction) { world.end_grant(transaction); });
                   }),
                   kLockTimeout));
    CHECK(mentions(refusal<db::StoreBusy>([&] {
                       db::write(waiting, db::Durability::lazy, kWait, [&](db::Transaction& transaction) {
                           store::sweep(transaction, world.fixture.clock.now());
                       });
                   }),
                   kLockTimeout));
}

TEST_CASE("a transaction without a wait of its own gives way before the process gives up waiting for the answer") {
    World world;
    db::Database waiting = world.open(std::chrono::seconds(10));
    db::Transaction holding(world.fixture.database, db::Durability::lazy);
    world.end_grant(holding);
    CHECK(mentions(refusal<db::StoreBusy>([&] {
                       db::write(waiting, db::Durability::full,
                                 [&](db::Transaction& transaction) { world.end_grant(transaction); });
                   }),
                   kLockTimeout));
}
