// Several processes commit at once and wait for one sync: what was answered to each survives the power.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <mutex>
#include <thread>

#include "db/database.h"
#include "db/maintenance.h"
#include "db/sqlite/write_lock.h"
#include "faults/operations.h"
#include "faults/power.h"
#include "support/audit_log.h"

namespace {

using namespace postern;
using namespace postern::test;
using db::Access;
using db::Database;
using db::Durability;
using db::Transaction;

constexpr std::size_t kProcesses = 4;

/// Threads stand for processes here, each with a connection of its own; they wait with one timer of the program's.
class Alarm {
public:
    Alarm() {
        former_ = std::signal(SIGALRM, [](int) {});
    }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm() { std::signal(SIGALRM, former_); }

private:
    void (*former_)(int);
};

void add_row(Database& database, const std::string& key, Durability durability) {
    Transaction transaction(database, durability);
    database.query("INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 1)", key).execute();
    transaction.commit();
}

struct Promise {
    std::size_t after;  ///< that many events
    std::string key;
};

struct Morning {
    std::vector<DiskEvent> events;
    Files before;
    std::vector<Promise> promises;
};

/// Each process commits one row after the other, and one of them copies the log back now and then, so that it begins
/// anew.
Morning live_through_it(int rows, Durability durability) {
    const Alarm alarm;
    SampleInstallation& there = sample_installation();
    const std::string path = there.op.database_file().string();
    std::vector<Database> databases;
    for (std::size_t i = 0; i < kProcesses; ++i) databases.emplace_back(path, Access::read_write);
    Morning morning;
    std::mutex mutex;
    Disk& disk = Disk::instance();
    morning.before = there.files();
    disk.watch([&](const DiskEvent& event) {
        const std::lock_guard lock(mutex);
        if (event.file == path || event.file == path + "-wal") morning.events.push_back(event);
    });
    disk.during_syncs([](const std::string&) { std::this_thread::sleep_for(std::chrono::microseconds(200)); });
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < kProcesses; ++i) {
        threads.emplace_back([&, i] {
            for (int row = 0; row < rows; ++row) {
                const std::string key = "process " + std::to_string(i) + " row " + std::to_string(row) + ".";
                add_row(databases[i], key, durability);
                {
                    const std::lock_guard lock(mutex);
                    morning.promises.push_back({morning.events.size(), key});
                }
                if (i == 0 && row % 4 == 3) db::checkpoint(databases[i]);
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    disk.watch(nullptr);
    disk.during_syncs(nullptr);
    return morning;
}

struct Findings {
    int cuts = 0;
    int damaged = 0;
    int forgotten = 0;
    std::string first = {};
};

/// The power goes at the moment of each promise.
Findings cut_at_promises(const Morning& morning, Loss loss) {
    const std::string database = sample_installation().op.database_file().string();
    std::mt19937 random(20260731);
    Findings findings;
    Platter platter(morning.before);
    std::size_t happened = 0;
    for (const Promise& last : morning.promises) {
        while (happened < last.after) platter.record(morning.events[happened++]);
        const Contents found = contents_of(platter.after(loss, random), database);
        ++findings.cuts;
        findings.damaged += found.problem != "";
        for (const Promise& promise : morning.promises) {
            if (promise.after > last.after || found.rows.find(promise.key) != std::string::npos) continue;
            ++findings.forgotten;
            if (findings.first.empty()) findings.first = promise.key;
        }
    }
    return findings;
}

TEST_CASE("group commit: what several processes confirmed survives each power cut [S15]") {
    const Morning morning = live_through_it(12, Durability::full);
    REQUIRE(morning.promises.size() == kProcesses * 12);
    for (const Loss loss : {Loss::everything, Loss::random_sectors, Loss::nothing}) {
        const Findings findings = cut_at_promises(morning, loss);
        CHECK(findings.damaged == 0);
        CHECK_MESSAGE(findings.forgotten == 0, findings.first);
    }
    const auto is_sync = [](const DiskEvent& event) {
        return event.what == DiskEvent::What::synced && event.file.ends_with("-wal");
    };
    MESSAGE(std::ranges::count_if(morning.events, is_sync)
            << " syncs of the log for " << morning.promises.size() << " durable commits");
}

TEST_CASE("group commit: the test above detects commits that are never synced, and a disk that drops syncs") {
    CHECK(cut_at_promises(live_through_it(4, Durability::lazy), Loss::everything).forgotten > 0);
    Disk::instance().ignore_syncs(true);
    const Morning morning = live_through_it(4, Durability::full);
    Disk::instance().ignore_syncs(false);
    CHECK(cut_at_promises(morning, Loss::everything).forgotten > 0);
}

TEST_CASE("group commit: a commit made during a sync waits for one sync more, which serves all of them") {
    const Alarm alarm;
    SampleInstallation& there = sample_installation();
    const std::string path = there.op.database_file().string();
    std::vector<Database> databases;
    for (std::size_t i = 0; i < kProcesses; ++i) databases.emplace_back(path, Access::read_write);
    Database reader(path, Access::query_only);
    add_row(databases[0], "the log has its header", Durability::full);

    std::atomic<int> syncs = 0;
    std::atomic<std::size_t> served_before_their_sync = 0;
    std::vector<std::jthread> others;  // joined also when something here throws
    Disk::instance().during_syncs([&](const std::string&) {
        if (++syncs > 1) return;
        for (std::size_t i = 1; i < kProcesses; ++i) {
            others.emplace_back([&, i] {
                add_row(databases[i], "other " + std::to_string(i), Durability::full);
                if (syncs < 2) ++served_before_their_sync;
            });
        }
        const auto committed = [&] {
            auto row = reader.prepare("SELECT count(*) FROM login_attempts WHERE attempt_key LIKE 'other%'");
            return row.step() ? static_cast<std::size_t>(row.integer(0)) : 0;
        };
        while (committed() < kProcesses - 1) std::this_thread::yield();
        db::WriteLock gate(path + ".gate");  // and they have left it: all have their numbers
        gate.lock(std::chrono::steady_clock::now() + std::chrono::seconds(20));
        gate.unlock();
    });
    add_row(databases[0], "first", Durability::full);
    for (std::jthread& other : others) other.join();
    Disk::instance().during_syncs(nullptr);
    CHECK(syncs == 2);
    CHECK(served_before_their_sync == 0);
}

TEST_CASE("shared sync: after a sync that failed, and lost what it should have synced, a promise is one again [S15]") {
    SampleInstallation& there = sample_installation();
    const std::string path = there.op.database_file().string();
    Host host(Host::Life::long_one);
    host.take(there.op);
    const Recording recording(path);
    Disk::instance().arm({Fault::sync_fails, 1, Lasting::once});
    const Answer refused = operation("refresh").perform(there);
    Disk::instance().disarm();
    REQUIRE(refused.status == 503);
    const Operation& revocation = operation("revocation of an access token");
    REQUIRE(revocation.done(revocation.perform(there)));

    std::mt19937 unused;
    Platter platter(recording.before());
    for (const DiskEvent& event : recording.events()) platter.record(event);
    const Contents left = contents_of(platter.after(Loss::everything, unused), path);
    CHECK(left.problem == "");
    const auto commits = recording.commits();
    CHECK(commits.size() == 3);  // how it was, the refresh and the revocation
    const bool is_all_there = left.rows == commits.back().contents;
    CHECK(is_all_there);
}

/// Lazy commits, each followed by what follows an answer.
void grow_log_until(Database& database, const std::function<bool()>& is_enough) {
    for (int i = 0; i < 1000 && !is_enough(); ++i) {
        add_row(database, "lazy " + std::to_string(i) + std::string(3000, '.'), Durability::lazy);
        db::checkpoint_if_due(database);
    }
    REQUIRE(is_enough());
}

TEST_CASE(
    "sync ahead: the WAL is synced before the checkpoint, which finds little to sync while it holds the write lock") {
    SampleInstallation& there = sample_installation();
    const std::string path = there.op.database_file().string();
    Database database(path, Access::read_write);
    const Recording recording(path);
    grow_log_until(database, [&] { return !recording.events().empty() && recording.events().back().file == path; });
    std::size_t unsynced = 0;
    std::size_t syncs = 0;
    for (const DiskEvent& event : recording.events()) {
        if (event.file == path) break;  // the checkpoint copies
        if (event.what == DiskEvent::What::written) unsynced += event.bytes.size();
        if (event.what != DiskEvent::What::synced) continue;
        ++syncs;
        CHECK(unsynced < std::size_t{280} * 4120);
        unsynced = 0;
    }
    CHECK(syncs == 4);  // each 250 frames of a thousand, the last of them by the checkpoint
}

TEST_CASE("sync ahead: one that fails is made good by the next durable commit [S15]") {
    SampleInstallation& there = sample_installation();
    const std::string path = there.op.database_file().string();
    Database database(path, Access::read_write);
    add_row(database, "the log has its header", Durability::full);
    const Recording recording(path);
    Disk::instance().arm({Fault::sync_fails, 1, Lasting::once});
    grow_log_until(database, [] { return Disk::instance().struck(); });
    Disk::instance().disarm();
    add_row(database, "promised then", Durability::full);

    std::mt19937 unused;
    Platter platter(recording.before());
    for (const DiskEvent& event : recording.events()) platter.record(event);
    const Contents left = contents_of(platter.after(Loss::everything, unused), path);
    CHECK(left.problem == "");
    CHECK(left.rows.find("promised then") != std::string::npos);
}

TEST_CASE(
    "shared sync: a change that others see and no disk has leaves a line in the audit log, of requests and commands") {
    SampleInstallation& there = sample_installation();
    const auto file = there.op.directory() / "unsynced.log";
    there.op.configure("log", json::Object{{"target", file.string()}});
    struct Row {
        const char* what;
        std::function<Answer(SampleInstallation&)> perform;
        const char* command;  ///< "" for a request
        const char* told;
    };
    const Row rows[] = {
        {"a request", operation("revocation of a refresh token").perform, "", "temporarily_unavailable"},
        {"a command",
         [](SampleInstallation& s) {
             return command(s, {"user", "disable", kAlice});
         },
         "user disable", "the change was made, but may be undone until a later change succeeds: "},
        {"a command of many changes",
         [](SampleInstallation& s) {
             return command(s, {"token", "revoke", "--all"});
         },
         "token revoke", " are done; run the same command again"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        there.restore();
        write_file(file, "");
        Host host(Host::Life::long_one);
        host.take(there.op);
        Disk::instance().arm({Fault::sync_fails, 1, Lasting::once});
        const Answer answer = row.perform(there);
        Disk::instance().disarm();
        CHECK(answer.status == 503);
        CHECK((answer.raw + answer.log).find(row.told) != std::string::npos);
        const std::string log = read_file(file);
        const json::Object line = audit_line(log, "commit_unsynced");  // and none that says it was done
        CHECK(text_of(line, "command") == row.command);
        const std::string id = text_of(line, "id");
        const bool is_explained = log.find("\"store_failed\",\"id\":\"" + id + "\"") != std::string::npos;
        CHECK(is_explained == !id.empty());
    }
    there.op.configure("log", json::Object{{"target", "/dev/null"}});
}

TEST_CASE("shared sync: a command that finds everything done is not done before the disk has it [S15]") {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::one_request);
    host.take(there.op);
    for (const std::vector<std::string>& words : {std::vector<std::string>{"token", "revoke", "--all"},
                                                  {"consent", "revoke", "--user", kAlice},
                                                  {"session", "end", "--user", kAlice}}) {
        CAPTURE(words[0]);
        REQUIRE(command(there, words).status == 200);
        const Recording recording(there.op.database_file().string());
        CHECK(command(there, words).status == 200);
        const bool is_synced = std::ranges::any_of(recording.events(), [](const DiskEvent& event) {
            return event.what == DiskEvent::What::synced && event.file.ends_with("-wal");
        });
        CHECK(is_synced);
    }
}

TEST_CASE("shared sync: doctor says that the disk has refused a change, and purge settles it as it says") {
    constexpr const char* kInDoubt = "failed to sync a change";
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::one_request);
    host.take(there.op);
    const auto diagnosis = [&] { return command(there, {"doctor"}).raw; };
    CHECK(diagnosis().find(kInDoubt) == std::string::npos);
    Disk::instance().arm({Fault::sync_fails, 1, Lasting::once});
    CHECK(command(there, {"user", "disable", kAlice}).status == 503);
    Disk::instance().disarm();
    CHECK(diagnosis().find(kInDoubt) != std::string::npos);
    CHECK(command(there, {"purge"}).status == 200);
    CHECK(diagnosis().find(kInDoubt) == std::string::npos);
}

}  // namespace
