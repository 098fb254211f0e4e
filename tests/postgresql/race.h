// Several processes that do something at the same moment, on one PostgreSQL database.
#pragma once

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "support/rules_fixture.h"

namespace postern::test {

/// The way in which the racing processes work on the database.
enum class Driver {
    shipped,
    serializable,  ///< every transaction is SERIALIZABLE
    conflicting,   ///< a commit is refused as a conflict, with an even chance
    unlocked,      ///< rows are not locked: to see that a rule rests on the locks
};

/// A database of its own with one client, for one race. The processes of the race have contexts of their own.
class RaceWorld {
public:
    explicit RaceWorld(Driver racing);

    /// Returns the number of rounds of the race: 300 with POSTERN_LONG, else fewer, because the pauses after conflicts
    /// take most of the time.
    int rounds() const;

    template <class Statements>
    void write(const Statements& statements) {
        db::Transaction transaction(fixture.database, db::Durability::lazy);
        statements(transaction);
        transaction.commit();
    }
    model::Grant add_grant(const model::User& user, const model::Sid& sid = {});
    std::string add_code(const model::Grant& grant);
    std::string add_access(const model::Grant& grant);
    std::string add_refresh(const model::Grant& grant);
    /// Makes a request of the user, whose progress the other members return.
    model::AuthorizationRequest make_request(const std::string& scope = "openid email");

    std::int64_t count_active(const char* kind, const model::Grant& grant);
    std::size_t count_living_grants(const model::User& user);
    std::size_t count_sessions(const model::User& user);

    const Driver driver;
    const std::string uri;
    RulesFixture fixture;
    oauth::Context context = fixture.context();
    const model::Client client = fixture.add_confidential("app", "https://app.example/cb", "secret");

private:
    int requests_ = 0;
};

/// The action of one process in a round; returns its result as a number of the race's own choice. It is called again
/// after StoreBusy, as a client asks again after a 503. `process` counts from 0.
using Act = std::function<int(oauth::Context& context, int round, int process)>;

struct Answers {
    std::vector<std::vector<int>> of_rounds;  ///< by process
    long conflicts = 0;                       ///< transactions that another one, or the driver, has ended

    int rounds() const { return static_cast<int>(of_rounds.size()); }
    long count(int round, int answer) const;
    long sum() const;
};

/// Starts one process for each act. They begin each round together. Throws what a process threw, as text.
Answers race(const RaceWorld& world, const std::vector<Act>& acts);

/// Returns `count` copies of `act`, one for each process.
std::vector<Act> times(int count, const Act& act);
/// Returns the acts of `some` and, behind them, `other`.
std::vector<Act> beside(std::vector<Act> some, const Act& other);

/// The rounds in which a rule did not hold.
class Verdict {
public:
    explicit Verdict(const Answers& answers) : rounds(answers.rounds()), conflicts(answers.conflicts) {}
    void expect(int round, const char* what, std::int64_t found, std::int64_t wanted);

    int rounds;
    long conflicts;
    std::set<int> broken;
    std::string first;  ///< what was found where it broke first
};
using Rule = std::function<Verdict(Driver)>;

/// Checks that the rule holds in every round: as shipped, in SERIALIZABLE transactions, and with conflicts put in.
void must_hold(const Rule& rule);
/// Checks that the rule holds, and that it breaks without row locks.
void must_hold_by_locks(const Rule& rule);

}  // namespace postern::test
