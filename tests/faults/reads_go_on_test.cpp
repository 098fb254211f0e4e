// While nothing can be written, what can be read is answered rightly; while nothing can be read, nothing is claimed.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

#include "faults/operations.h"
#include "faults/power.h"

namespace {

using namespace postern::test;

Answer ask_about(const SampleInstallation& there, const std::string& token) {
    return as_client(there.op, "introspect", {{"token", token}}, kOther);
}
bool says_active(const Answer& answer) { return answer.body.find("\"active\":true") != std::string::npos; }
bool says_inactive(const Answer& answer) { return answer.body == "{\"active\":false}"; }

Answer ask_for_token(const SampleInstallation& there) {
    return as_client(there.op, "token", {{"grant_type", "client_credentials"}}, kMachine);
}

TEST_CASE("full disk: tokens are verified rightly for as long as it lasts, and everything goes on after it [S08]") {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::long_one);
    host.take(there.op);
    for (const char* program : {"introspect", "userinfo", "token", "revoke", "authorize"})
        host.start(program, there.op);
    Disk::instance().arm({Fault::full, 1, Lasting::from_then_on});
    for (int i = 0; i < 20; ++i) {
        CHECK(says_active(ask_about(there, there.held.access_token)));
        CHECK(says_inactive(ask_about(there, there.rotated.refresh_token)));
        CHECK(userinfo(there.op, there.held.access_token).status == 200);
        for (const char* name : {"client credentials", "code exchange", "refresh", "revocation of an access token",
                                 "code by remembered consent"})
            CHECK(fault_of_refusal(there, operation(name).perform(there)) == "");
    }
    Disk::instance().disarm();
    for (const char* name : {"client credentials", "code exchange", "refresh", "code by remembered consent",
                             "revocation of an access token"}) {
        CAPTURE(std::string(name));
        CHECK(operation(name).done(operation(name).perform(there)));
    }
    CHECK(says_inactive(ask_about(there, there.held.access_token)));
}

TEST_CASE("unreadable disk: a token that was just found active is not called active from memory [S09, S14]") {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::long_one);
    host.take(there.op);
    for (int i = 0; i < 3; ++i) {
        CHECK(says_active(ask_about(there, there.held.access_token)));
        CHECK(userinfo(there.op, there.held.access_token).status == 200);
        // Another process writes, so that no page in memory counts any more.
        CHECK(operation("client credentials").done(ask_for_token(there)));
        Disk::instance().arm({Fault::io_error, 1, Lasting::from_then_on});
        CHECK(fault_of_refusal(there, ask_about(there, there.held.access_token)) == "");
        CHECK(fault_of_refusal(there, userinfo(there.op, there.held.access_token)) == "");
        Disk::instance().disarm();
    }
}

/// Somebody with a shell, who knows nothing of the write lock.
class Stranger {
public:
    explicit Stranger(const SampleInstallation& there) {
        REQUIRE(sqlite3_open(there.op.database_file().c_str(), &connection_) == SQLITE_OK);
        sqlite3_db_config(connection_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
    Stranger(const Stranger&) = delete;
    Stranger& operator=(const Stranger&) = delete;
    ~Stranger() { sqlite3_close(connection_); }
    void run(const char* sql) { REQUIRE(sqlite3_exec(connection_, sql, nullptr, nullptr, nullptr) == SQLITE_OK); }

private:
    sqlite3* connection_ = nullptr;
};

TEST_CASE(
    "locked for 30 seconds: each writer waits 5 of them and answers 503 with Retry-After, readers do not wait [S03, V06]") {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::long_one);
    host.take(there.op);
    Disk& disk = Disk::instance();
    Stranger stranger(there);
    stranger.run("BEGIN EXCLUSIVE");
    const auto begin = disk.slept_milliseconds();
    int refused = 0;
    while (disk.slept_milliseconds() - begin < 30'000) {
        const auto before = disk.slept_milliseconds();
        const Answer answer = operation("revocation of an access token").perform(there);
        REQUIRE(fault_of_refusal(there, answer) == "");
        ++refused;
        const auto waited = disk.slept_milliseconds() - before;
        CHECK(waited > 4'000);
        CHECK(waited <= 5'000);
        CHECK(says_active(ask_about(there, there.held.access_token)));
        CHECK(userinfo(there.op, there.held.access_token).status == 200);
        CHECK(disk.slept_milliseconds() - before == waited);
    }
    CHECK(refused >= 6);
    stranger.run("ROLLBACK");
    const Operation& revocation = operation("revocation of an access token");
    CHECK(revocation.done(revocation.perform(there)));
    CHECK(revocation.holds(there));
}

/// Whether the write lock is held by somebody: only then may anything be written.
bool is_gate_closed(const std::string& database) {
    const int gate = ::open((database + ".gate").c_str(), O_RDWR | O_CLOEXEC);
    const bool closed = gate < 0 || ::flock(gate, LOCK_EX | LOCK_NB) != 0;
    ::close(gate);
    return closed;
}

/// What happened to database and log.
struct Touches {
    int all = 0;
    int outside_the_gate = 0;  ///< while it was open
    int syncs_for_all = 0;     ///< of the log, which is synced for all who wait when they have left the write lock
};
Touches touches_of(const std::function<void(SampleInstallation&)>& work) {
    SampleInstallation& there = sample_installation();
    const std::string database = there.op.database_file().string();
    Host host(Host::Life::long_one);
    host.take(there.op);
    Touches touches;
    Disk::instance().watch([&](const DiskEvent& event) {
        if (event.file != database && event.file != database + "-wal") return;
        ++touches.all;
        if (is_gate_closed(database)) return;
        const bool is_sync = event.what == DiskEvent::What::synced && event.file != database;
        ++(is_sync ? touches.syncs_for_all : touches.outside_the_gate);
    });
    work(there);
    Disk::instance().watch(nullptr);
    return touches;
}

TEST_CASE("write lock: no writer and no checkpoint touches database or WAL without it [S04]") {
    const auto everything = [](SampleInstallation& there) {
        for (const char* name : {"login with a wrong password", "login", "consent", "code after consent",
                                 "code exchange", "refresh", "revocation of an access token", "code replay", "logout",
                                 "postern user add carol --password-stdin", "postern client secret web", "purge"}) {
            CAPTURE(std::string(name));
            CHECK(operation(name).done(operation(name).perform(there)));
        }
    };
    const Touches touches = touches_of(everything);
    CHECK(touches.outside_the_gate == 0);
    CHECK(touches.all > 30);
    // Of each that takes something, and of purge; nobody is kept from writing while the disk is waited for.
    CHECK(touches.syncs_for_all == 9);
    const auto stranger = [](SampleInstallation& there) { Stranger(there).run("UPDATE users SET updated_at = 1"); };
    CHECK(touches_of(stranger).outside_the_gate > 0);  // the test can tell
}

TEST_CASE("log: under constant load it does not grow beyond what one checkpoint leaves room for [S04]") {
    SampleInstallation& there = sample_installation();
    Host host(Host::Life::long_one);
    host.take(there.op);
    const std::string log = there.op.database_file().string() + "-wal";
    const int requests = std::getenv("POSTERN_LONG") ? 20'000 : 500;
    constexpr std::uintmax_t kFrame = 4096 + 24;
    std::uintmax_t largest = 0;
    std::uintmax_t written = 0;
    int checkpoints = 0;
    Disk::instance().watch([&](const DiskEvent& event) {
        if (event.file == log) written += event.bytes.size();
        checkpoints += event.what == DiskEvent::What::synced && !event.file.ends_with("-wal");
    });
    for (int i = 0; i < requests; ++i) {
        REQUIRE(ask_for_token(there).status == 200);
        REQUIRE(says_active(ask_about(there, there.held.access_token)));
        largest = std::max(largest, std::filesystem::file_size(log));
    }
    Disk::instance().watch(nullptr);
    CHECK(checkpoints >= 2);
    CHECK(written > 2 * largest);
    CHECK(largest < 1100 * kFrame);
    CHECK(read_contents(there.op.database_file().string()).problem == "");
    MESSAGE((written / 1024) << " KiB went through a log of at most " << (largest / 1024) << " KiB");
}

}  // namespace
