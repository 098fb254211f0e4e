// What the right to use a client is worth when it is taken away at the moment of its use
// (docs/decisions/0059-groups.md).
#include <unistd.h>

#include <numeric>

#include "db/write.h"
#include "oauth/issue_grant.h"
#include "postgresql/race.h"
#include "store/client_access.h"
#include "store/clients.h"
#include "store/grants.h"
#include "store/groups.h"
#include "store/users.h"

using namespace postern;
using test::Driver;
using test::Verdict;

namespace {

constexpr int kOfLoser = 4;
constexpr int kOfKeeper = 3;

enum Answer { kRefused, kIssued };

/// Of each round: a client, and two users who are signed in and may use it. One of them will lose that right.
struct World : test::RaceWorld {
    struct Person {
        model::User user;
        model::Session session;
    };
    struct Round {
        model::ClientId client_id;
        std::string group;
        Person loser, keeper;
        std::vector<model::AuthorizationRequest> requests;  ///< one for each process that issues
    };
    std::vector<Round> of_rounds;

    explicit World(Driver racing) : RaceWorld(racing) {
        for (int round = 0; round < rounds(); ++round) {
            const std::string number = std::to_string(round);
            Round made;
            made.client_id = fixture.add_confidential("client" + number, "https://app.example/cb", "secret").id;
            made.group = "group" + number;
            made.loser = sign_in("loser" + number);
            made.keeper = sign_in("keeper" + number);
            add_grant(made.loser.user);  // for the client of all rounds, which is for everybody
            for (int process = 0; process < kOfLoser + kOfKeeper; ++process) {
                made.requests.push_back(make_request());
                made.requests.back().client_id = made.client_id;
            }
            of_rounds.push_back(std::move(made));
        }
    }
    Person sign_in(const std::string& name) {
        const model::User user = fixture.add_user(name);
        return {user, fixture.add_session(user, name)};
    }
    Round& at(int round) { return of_rounds.at(static_cast<std::size_t>(round)); }
    util::Time now() const { return fixture.clock.now(); }

    /// The client is for the group, with the loser in it, and for the keeper.
    void restrict_to_group() {
        for (const Round& each : of_rounds)
            write([&](db::Transaction& transaction) {
                store::insert_group(transaction, {each.group, "", now()});
                store::add_member(transaction, each.group, each.loser.user.subject, now());
                restrict(transaction, each);
                store::allow_group(transaction, each.client_id, each.group);
                store::allow_user(transaction, each.client_id, each.keeper.user.subject);
            });
    }
    void restrict(db::Transaction& transaction, const Round& round) const {
        auto changed = store::find_client_to_change(transaction, round.client_id, now());
        changed->restricted = true;
        store::update_client(transaction, *changed);
    }
    /// But for the one for another client.
    std::int64_t grants_of_loser(int round) {
        return static_cast<std::int64_t>(count_living_grants(at(round).loser.user)) - 1;
    }
    std::int64_t grants_of_keeper(int round) {
        return static_cast<std::int64_t>(count_living_grants(at(round).keeper.user));
    }
};

/// Takes the right away as a command does; returns how many grants that has ended.
using TakeAway = std::int64_t (*)(const World&, db::Transaction&, const World::Round&);

/// `postern client set --allow-user`: the first name makes the client one for nobody else.
std::int64_t name_the_keeper(const World& world, db::Transaction& transaction, const World::Round& round) {
    store::lock_access(transaction);
    world.restrict(transaction, round);
    store::allow_user(transaction, round.client_id, round.keeper.user.subject);
    return store::end_grants_without_access(transaction, round.client_id, world.now());
}
/// `postern client set --disallow-user`
std::int64_t unname_the_loser(const World& world, db::Transaction& transaction, const World::Round& round) {
    store::lock_access(transaction);
    world.restrict(transaction, round);
    store::disallow_user(transaction, round.client_id, round.loser.user.subject);
    return store::end_grants_without_access(transaction, round.client_id, world.now());
}
/// `postern group remove`
std::int64_t remove_group(const World& world, db::Transaction& transaction, const World::Round& round) {
    store::lock_access(transaction);
    store::remove_group(transaction, round.group);
    return store::end_grants_without_access(transaction, round.client_id, world.now());
}
/// `postern group member remove`
std::int64_t remove_member(const World& world, db::Transaction& transaction, const World::Round& round) {
    const auto user = store::find_user_to_change(transaction, round.loser.user.subject);
    store::remove_member(transaction, round.group, user->subject);
    return store::end_grants_without_access(transaction, user->subject, world.now());
}

test::Act taking_away(World& world, TakeAway take_away) {
    return [&world, take_away](oauth::Context& own, int round, int) {
        return db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            const auto ended = take_away(world, transaction, world.at(round));
            transaction.commit();
            return static_cast<int>(ended);
        });
    };
}

/// Signs in to the client of the round.
int issue(World& world, oauth::Context& own, int round, int process) {
    const auto& here = world.at(round);
    const auto& session = (process < kOfLoser ? here.loser : here.keeper).session;
    const auto& request = here.requests.at(static_cast<std::size_t>(process));
    return oauth::issue_code(own, {request, session, oauth::ConsentSource::not_asked}) ? kIssued : kRefused;
}

void expect_no_deadlock(Verdict& verdict, const World& world, const test::Answers& answers) {
    if (world.driver == Driver::shipped) verdict.expect(0, "deadlocks", answers.conflicts, 0);  // a second for the user
}

/// Both users sign in, each several times, while the right of one of them is taken away.
Verdict issue_beside(World& world, TakeAway take_away) {
    const test::Act issuing = [&](oauth::Context& own, int round, int process) {
        return issue(world, own, round, process);
    };
    const auto answers =
        race(world, test::beside(test::times(kOfLoser + kOfKeeper, issuing), taking_away(world, take_away)));
    Verdict verdict(answers);
    expect_no_deadlock(verdict, world, answers);
    int issued = 0;
    for (int round = 0; round < answers.rounds(); ++round) {
        const auto& each = answers.of_rounds[static_cast<std::size_t>(round)];
        const auto of_loser = each.begin() + kOfLoser;
        const auto of_keeper = of_loser + kOfKeeper;
        verdict.expect(round, "grants that were ended", each.back(), std::accumulate(each.begin(), of_loser, 0));
        verdict.expect(round, "living grants of who has lost the right", world.grants_of_loser(round), 0);
        verdict.expect(round, "codes of who keeps it", std::accumulate(of_loser, of_keeper, 0), kOfKeeper);
        verdict.expect(round, "living grants of who keeps it", world.grants_of_keeper(round), kOfKeeper);
        issued += std::accumulate(each.begin(), of_loser, 0);
    }
    CHECK(issued > 0);  // else nothing was raced
    return verdict;
}

Verdict issue_beside_first_name(Driver driver) {
    World world(driver);
    return issue_beside(world, name_the_keeper);
}
Verdict issue_beside_removal_of_group(Driver driver) {
    World world(driver);
    world.restrict_to_group();
    return issue_beside(world, remove_group);
}
Verdict issue_beside_removal_of_member(Driver driver) {
    World world(driver);
    world.restrict_to_group();
    return issue_beside(world, remove_member);
}

/// The user has the right twice, by name and by group, and loses each to another command.
Verdict lose_both_ways(Driver driver) {
    World world(driver);
    world.restrict_to_group();
    for (const auto& each : world.of_rounds)
        world.write([&](db::Transaction& transaction) {
            store::allow_user(transaction, each.client_id, each.loser.user.subject);
            model::Grant grant;
            grant.id = model::GrantId(each.group);
            grant.client_id = each.client_id;
            grant.subject = each.loser.user.subject;
            grant.created_at = world.now();
            store::insert_grant(transaction, grant);
        });
    const auto answers = race(world, {taking_away(world, remove_member), taking_away(world, unname_the_loser)});
    Verdict verdict(answers);
    expect_no_deadlock(verdict, world, answers);
    for (int round = 0; round < answers.rounds(); ++round) {
        verdict.expect(round, "grants that were ended", answers.count(round, 1), 1);
        verdict.expect(round, "living grants", world.grants_of_loser(round), 0);
    }
    return verdict;
}

/// Those that the server's database has seen. A session counts its own at the latest when it ends.
class Deadlocks {
public:
    explicit Deadlocks(db::Database& database) : database_(database), sessions_(find(kSessions)), before_(find(kAll)) {}
    std::int64_t since() {
        while (find(kSessions) > sessions_) ::usleep(1000);
        return find(kAll) - before_;
    }

private:
    static constexpr const char* kSessions =
        "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'postern%'";
    static constexpr const char* kAll = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()";

    std::int64_t find(const char* sql) {
        auto row = database_.prepare(sql);
        REQUIRE(row.step());
        return row.integer(0);
    }

    db::Database& database_;
    std::int64_t sessions_;
    std::int64_t before_;
};

/// `postern client remove`
Verdict issue_beside_removal_of_client(Driver driver) {
    World world(driver);
    world.restrict_to_group();
    const test::Act issuing = [&](oauth::Context& own, int round, int process) -> int {
        try {
            return issue(world, own, round, process);
        } catch (const db::StoreBusy&) {
            throw;
        } catch (const db::StoreError&) {  // of a foreign key
            return kRefused;
        }
    };
    const test::Act remove = [&](oauth::Context& own, int round, int) {
        db::write(own.store, db::Durability::full, [&](db::Transaction& transaction) {
            store::remove_client(transaction, world.at(round).client_id);
            transaction.commit();
        });
        return kRefused;
    };
    Deadlocks deadlocks(world.fixture.database);
    const auto answers = race(world, test::beside(test::times(kOfLoser + kOfKeeper, issuing), remove));
    Verdict verdict(answers);
    verdict.expect(0, "deadlocks", deadlocks.since(), 0);
    for (int round = 0; round < answers.rounds(); ++round)
        verdict.expect(round, "living grants", world.grants_of_loser(round) + world.grants_of_keeper(round), 0);
    return verdict;
}

}  // namespace

TEST_CASE("no grant survives when its client becomes one for others [GROUP-6]") {
    test::must_hold_by_locks(issue_beside_first_name);  // of the lists
}

TEST_CASE("no grant survives the group that it rests on [GROUP-6]") {
    test::must_hold_by_locks(issue_beside_removal_of_group);  // of the lists
}

TEST_CASE("no grant survives the membership that it rests on [GROUP-6]") {
    test::must_hold_by_locks(issue_beside_removal_of_member);  // of the user
}

TEST_CASE("a grant ends with the last way to its client when two commands take one each [GROUP-6]") {
    test::must_hold_by_locks(lose_both_ways);  // of the lists
}

TEST_CASE("a client that is for some users is removed beside their sign-ins, and nobody waits in a ring") {
    test::must_hold(issue_beside_removal_of_client);
}
