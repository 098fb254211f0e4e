// Whatever step of whatever operation the disk refuses: what was answered is so, and the rest is as it was.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "faults/disk.h"
#include "faults/operations.h"
#include "faults/power.h"
#include "server/wire.h"

namespace {

using namespace postern;
using namespace postern::test;

struct Trouble {
    const char* name;
    Fault fault;
    Lasting lasting;
};
constexpr Trouble kTroubles[] = {
    {"an I/O error", Fault::io_error, Lasting::once},
    {"I/O errors from then on", Fault::io_error, Lasting::from_then_on},
    {"a full disk for a moment", Fault::full, Lasting::once},
    {"a full disk from then on", Fault::full, Lasting::from_then_on},
    {"a short write", Fault::short_write, Lasting::once},
    {"a failed sync", Fault::sync_fails, Lasting::once},
    {"failed syncs from then on", Fault::sync_fails, Lasting::from_then_on},
    {"a lock that somebody has", Fault::locked, Lasting::once},
};

/// Where a run of an operation leads when nothing goes wrong: what was committed, in order, the beginning included.
std::vector<std::string> states_of(const Operation& operation) {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::long_one);
    host.take(there.op);
    if (operation.prepare) operation.prepare(there);
    const Recording recording(there.op.database_file().string());
    const Answer answer = operation.perform(there);
    CHECK_MESSAGE(operation.done(answer), answer.status << " " << answer.raw << answer.log);
    std::vector<std::string> states;
    for (const Recording::Commit& commit : recording.commits()) states.push_back(commit.contents);
    if (operation.holds) CHECK_MESSAGE(operation.holds(there), "what was answered does not hold");
    return states;
}

struct Tally {
    int steps = 0;  ///< of a run without trouble
    int points = 0;
    int refused = 0;
    int done = 0;
};

/// The database as the one process sees it, and as another does that finds nothing but the files.
void check_contents(const SampleInstallation& there, const std::vector<std::string>& states, bool done) {
    const std::string database = there.op.database_file().string();
    for (const Contents& contents : {read_contents(database), contents_of(there.files(), database)}) {
        CHECK(contents.problem == "");
        CHECK_MESSAGE(std::ranges::find(states, contents.rows) != states.end(), "half done");
        if (done) CHECK_MESSAGE(contents.rows == states.back(), "answered, but not done");
    }
}

bool has_token(const Answer& answer) { return answer.body.find("\"access_token\"") != std::string::npos; }

/// A server that could not even open its database says less.
bool is_bare(const Answer& answer) {
    return answer.exit_code == 1 &&
           (answer.raw == server::bare_failure() || answer.raw == server::bare_unavailability());
}

/// One run with one step refused; false when the run does not get as far as that step.
bool run_with(const Operation& operation, const std::vector<std::string>& states, const Plan& plan, Host::Life life,
              Tally& tally) {
    SampleInstallation& there = sample_installation();
    Disk& disk = Disk::instance();
    Host host(life);
    host.take(there.op);
    if (operation.prepare) operation.prepare(there);
    if (life == Host::Life::long_one)
        for (const std::string& program : operation.programs) host.start(program, there.op);

    disk.arm(plan);
    const Answer answer = operation.perform(there);
    disk.disarm();
    tally.steps = disk.steps();
    if (!disk.struck()) return false;

    const bool done = operation.done(answer);
    ++tally.points;
    ++(done ? tally.done : tally.refused);
    if (!done && !is_bare(answer)) CHECK(fault_of_refusal(there, answer) == "");
    check_contents(there, states, done);

    // The same processes, with a disk that works again. What failed may have been done all the same, when nobody was
    // there who knew better than the log; then a command has nothing left to do.
    const bool as_before = read_contents(there.op.database_file().string()).rows == states.front();
    const Answer again = operation.perform(there);
    const bool is_command = operation.programs.empty();
    if (as_before) CHECK_MESSAGE(operation.done(again), again.raw << again.log);
    CHECK_MESSAGE((is_command || again.status < 500), again.raw << again.log);
    CHECK_FALSE((has_token(answer) && has_token(again) && operation.effect == Effect::takes));
    return true;
}

/// Every step with POSTERN_LONG, else so many of them, the last ones among them: there it is committed.
std::vector<int> chosen(int steps, std::size_t seed) {
    constexpr int kLast = 5;
    constexpr int kSpread = 5;
    std::vector<int> all;
    const bool is_long = std::getenv("POSTERN_LONG") != nullptr;
    const int stride = is_long ? 1 : std::max(1, (steps - kLast) / kSpread);
    for (int step = 1 + static_cast<int>(seed % static_cast<std::size_t>(stride)); step <= steps - kLast;
         step += stride)
        all.push_back(step);
    for (int step = std::max(1, steps - kLast + 1); step <= steps; ++step) all.push_back(step);
    return all;
}

Tally run_with_each(const Operation& operation, const std::vector<std::string>& states, const Trouble& trouble,
                    Host::Life life) {
    CAPTURE(operation.name);
    CAPTURE(std::string(trouble.name));
    Tally tally;
    run_with(operation, states, {trouble.fault, 0, trouble.lasting}, life, tally);
    for (const int step : chosen(tally.steps, std::hash<std::string>()(operation.name + trouble.name))) {
        CAPTURE(step);
        run_with(operation, states, {trouble.fault, step, trouble.lasting}, life, tally);
    }
    return tally;
}

void run_all(const std::vector<const Operation*>& of, Host::Life life) {
    Tally all;
    for (const Operation* operation : of) {
        const auto states = states_of(*operation);
        CAPTURE(operation->name);
        CHECK(static_cast<int>(states.size()) - 1 == operation->commits);
        for (const Trouble& trouble : kTroubles) {
            const Tally tally = run_with_each(*operation, states, trouble, life);
            all.points += tally.points;
            all.refused += tally.refused;
            all.done += tally.done;
        }
    }
    CHECK(all.refused > 0);
    CHECK(all.done > 0);
    MESSAGE(all.points << " refused steps: " << all.refused << " answers refused, " << all.done << " given");
}

TEST_CASE("refused steps: an operation is whole or was never begun, and its answer says which [S08, S14, V06]") {
    std::vector<const Operation*> all;
    for (const Operation& operation : operations()) all.push_back(&operation);
    run_all(all, Host::Life::long_one);
}

TEST_CASE("refused steps: the same where every request opens the database again, as plain CGI [S08, S14, V06]") {
    run_all({&operation("login"), &operation("code by remembered consent"), &operation("code exchange"),
             &operation("revocation of a refresh token"), &operation("introspection of a live token")},
            Host::Life::one_request);
}

}  // namespace
