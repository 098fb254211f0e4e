// The power goes at every moment of a busy day: what was taken away and answered stays away, and nothing is half there.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "db/database.h"
#include "db/maintenance.h"
#include "faults/operations.h"
#include "faults/power.h"
#include "store/sweep.h"

namespace {

using namespace postern;
using namespace postern::test;

constexpr const char* kCheckpoint = "checkpoint";

/// What happens on that day. Operations that need what another has taken come before it.
constexpr const char* kDay[] = {
    "client credentials",
    "login with a wrong password",
    "login",
    "consent",
    "code after consent",
    "code by remembered consent",
    "code exchange",
    "second step by app",
    "login by passkey",
    kCheckpoint,
    "refresh",
    "postern user add carol --password-stdin",
    "revocation of an access token",
    "second step by recovery code",
    kCheckpoint,
    "refresh token reuse",
    "client credentials",
    "code replay",
    "postern client secret web",
    kCheckpoint,
    "client credentials",
    "postern session end --user alice",
    "postern client disable web",
    "another password by a link",
    "app removed",
    "postern user passwd alice --password-stdin",
    kCheckpoint,
    "password changed in the account",
    "purge",
    "postern user remove alice",
};

/// An operation that was answered: from then on the database must not be as it was before that commit.
struct Promise {
    std::size_t after;  ///< that many events
    std::string name;
    Effect effect;
};

struct Day {
    std::vector<DiskEvent> events;
    Files before;
    std::vector<Recording::Commit> commits;
    std::vector<Promise> promises;
};

void check_point(const SampleInstallation& there) {
    db::Database database(there.op.database_file().string(), db::Access::read_write);
    db::checkpoint(database);
}

Day live_through_it() {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::long_one);
    host.take(there.op);
    const Recording recording(there.op.database_file().string());
    Day day;
    std::size_t answered = 0;
    host.on_answer = [&] { answered = recording.events().size(); };
    for (const std::string name : kDay) {
        CAPTURE(name);
        if (name == kCheckpoint) {
            check_point(there);
            continue;
        }
        const Operation& now = operation(name);
        const Answer answer = now.perform(there);
        REQUIRE_MESSAGE(now.done(answer), answer.raw << answer.log);
        day.promises.push_back({answered, name, now.effect});
    }
    day.events = recording.events();
    day.before = recording.before();
    day.commits = recording.commits();
    return day;
}

/// How many of the day's commits were there when so much had happened.
std::size_t commits_until(const Day& day, std::size_t happened) {
    return static_cast<std::size_t>(
        std::ranges::count_if(day.commits, [&](const Recording::Commit& commit) { return commit.after <= happened; }));
}

/// What a power cut may leave: nothing older than the last promise that `keeps`, nothing newer than what was written.
struct Range {
    std::size_t first;
    std::size_t end;
};
Range allowed(const Day& day, std::size_t cut, const std::function<bool(const Promise&)>& keeps) {
    Range range{0, commits_until(day, cut)};
    for (const Promise& promise : day.promises)
        if (promise.after <= cut && keeps(promise)) range.first = commits_until(day, promise.after) - 1;
    return range;
}

struct Findings {
    int cuts = 0;
    int damaged = 0;     ///< integrity_check or foreign_key_check
    int in_between = 0;  ///< contents that no commit had left
    int forgotten = 0;   ///< older than a promise
    int lost = 0;        ///< allowed, and yet not the last commit: the lazy ones
    std::string first = {};

    void note(const std::string& what) {
        if (first.empty()) first = what;
    }
};

void look_at(const Day& day, std::size_t cut, const Range& range, const Contents& found, Findings& findings) {
    ++findings.cuts;
    const std::string where = " after " + std::to_string(cut) + " of " + std::to_string(day.events.size());
    if (!found.problem.empty()) {
        ++findings.damaged;
        findings.note(found.problem + where);
        return;
    }
    const auto begin = day.commits.begin();
    const auto is_it = [&](const Recording::Commit& commit) { return commit.contents == found.rows; };
    const auto end = begin + static_cast<std::ptrdiff_t>(range.end);
    if (std::any_of(begin + static_cast<std::ptrdiff_t>(range.first), end, is_it)) {
        findings.lost += !is_it(*(end - 1));
    } else if (std::any_of(begin, day.commits.end(), is_it)) {
        ++findings.forgotten;
        findings.note("older than what was answered" + where);
    } else {
        ++findings.in_between;
        findings.note("half done" + where);
    }
}

bool takes(const Promise& promise) { return promise.effect == Effect::takes; }

/// The power is cut after each thing that happened, `rounds` times with other luck.
Findings cut_everywhere(const Day& day, Loss loss, int rounds, const std::function<bool(const Promise&)>& keeps,
                        unsigned seed) {
    const std::string database = sample_installation().op.database_file().string();
    std::mt19937 random(seed);
    Findings findings;
    Platter platter(day.before);
    Files former;
    for (std::size_t cut = 0; cut <= day.events.size(); ++cut) {
        if (cut > 0) platter.record(day.events[cut - 1]);
        const Range range = allowed(day, cut, keeps);
        for (int round = 0; round < rounds; ++round) {
            Files left = platter.after(loss, random);
            // Nothing new on the platter, and nothing new was promised: looked at already.
            const bool is_answer = std::ranges::any_of(day.promises, [&](const auto& p) { return p.after == cut; });
            if (left == former && !is_answer) continue;
            look_at(day, cut, range, contents_of(left, database), findings);
            former = std::move(left);
        }
    }
    return findings;
}

void check_well(const Findings& findings) {
    CHECK_MESSAGE(findings.damaged == 0, findings.first);
    CHECK_MESSAGE(findings.in_between == 0, findings.first);
    CHECK_MESSAGE(findings.forgotten == 0, findings.first);
}

int rounds_for(int usual, int with_long) { return std::getenv("POSTERN_LONG") ? with_long : usual; }

TEST_CASE("power cut: what was answered stays taken away, what only granted is whole or missing [S15]") {
    const Day day = live_through_it();
    const std::size_t requests = day.promises.size();
    REQUIRE(day.commits.size() > requests);
    for (const Loss loss : {Loss::everything, Loss::nothing, Loss::random_sectors}) {
        const bool is_chance = loss == Loss::random_sectors;
        const Findings findings = cut_everywhere(day, loss, is_chance ? rounds_for(5, 100) : 1, takes, 20260102);
        check_well(findings);
        CHECK(findings.cuts > 20);
        if (loss == Loss::everything) CHECK(findings.lost > 0);  // the lazy ones: the cut does cut something off
        MESSAGE(findings.cuts << " power cuts, " << findings.lost << " with something granted lost");
    }
}

TEST_CASE(
    "power cut: a server that has restarted after it does not confirm a right that was lost "
    "[S15, V07, STORE-2, TOTP-5, CODE-3, WEBAUTHN-3]") {
    for (const Operation& now : operations()) {
        if (!now.holds) continue;
        CAPTURE(now.name);
        SampleInstallation& there = sample_installation();
        Files left;
        {
            Host host(Host::Life::long_one);
            host.take(there.op);
            const Recording recording(there.op.database_file().string());
            host.on_answer = [&] {
                std::mt19937 unused;
                Platter platter(recording.before());
                for (const DiskEvent& event : recording.events()) platter.record(event);
                left = platter.after(Loss::everything, unused);
            };
            REQUIRE(now.done(now.perform(there)));
        }
        there.put(left);
        Host host(Host::Life::one_request);
        host.take(there.op);
        CHECK(now.holds(there));
    }
}

TEST_CASE("power cut: these tests find a disk that swallows syncs, and a promise that was lazy [S15]") {
    SUBCASE("no sync reaches the disk") {
        Disk::instance().ignore_syncs(true);
        const Day day = live_through_it();
        Disk::instance().ignore_syncs(false);
        CHECK(cut_everywhere(day, Loss::everything, 1, takes, 1).forgotten > 0);
        const Findings findings = cut_everywhere(day, Loss::random_sectors, 1, takes, 1);
        CHECK(findings.forgotten + findings.damaged + findings.in_between > 0);
    }
    SUBCASE("what only granted is taken for a promise") {
        const Day day = live_through_it();
        const auto all = [](const Promise& promise) { return promise.effect != Effect::reads; };
        CHECK(cut_everywhere(day, Loss::everything, 1, all, 1).forgotten > 0);
    }
}

}  // namespace
