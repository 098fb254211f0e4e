#include "db/sqlite/group_commit.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <csignal>
#include <functional>
#include <utility>

#include "db/error.h"
#include "unit/db/fixture.h"

using namespace postern;
using namespace postern::test;
using db::GroupCommit;
using Clock = std::chrono::steady_clock;

namespace {

/// A log that counts, fails when it is told to, and lets things happen while it is being synced.
class TestLog : public db::Wal {
public:
    bool sync() override {
        ++syncs;
        if (meanwhile) std::exchange(meanwhile, nullptr)();
        return works;
    }
    bool write_again() override {
        ++written;
        return works;
    }
    int syncs = 0;
    int written = 0;
    bool works = true;
    std::function<void()> meanwhile;
};

/// What a process has: the shared numbers, opened by it, and the log.
struct Process {
    explicit Process(const std::string& path) : shared(path) {}
    void commit() { number = shared.next_commit_number(); }
    void wait() { shared.wait(number, Clock::now() + std::chrono::seconds(20), wal); }
    void commit_and_wait() {
        commit();
        wait();
    }
    GroupCommit shared;
    TestLog wal;
    GroupCommit::Number number = GroupCommit::kNoNumber;
};

constexpr std::size_t kRecordBytes = 16;  // committed, synced, failed

/// The file after so many commits that were synced.
std::string file_after(const TemporaryDirectory& directory, int commits) {
    const auto path = directory / "other";
    std::filesystem::remove(path);
    Process process(path);
    for (int i = 0; i < commits; ++i) process.commit_and_wait();
    return read_file(path);
}

}  // namespace

TEST_CASE("GroupCommit: one sync serves all commits made before it began [V07, S15]") {
    const TemporaryDirectory directory;
    Process a(directory / "sync"), b(directory / "sync"), c(directory / "sync");
    for (Process* process : {&a, &b, &c}) process->commit();
    b.wait();
    CHECK(b.wal.syncs == 1);
    a.wait();
    c.wait();
    CHECK(a.wal.syncs + c.wal.syncs == 0);
    a.commit_and_wait();  // and nobody is served by what is over
    CHECK(a.wal.syncs == 1);
}

TEST_CASE("GroupCommit: what is committed while a sync runs waits for another one") {
    const TemporaryDirectory directory;
    Process a(directory / "sync"), b(directory / "sync");
    a.commit();
    a.wal.meanwhile = [&] { b.commit(); };
    a.wait();
    b.wait();
    CHECK(a.wal.syncs == 1);
    CHECK(b.wal.syncs == 1);
}

TEST_CASE(
    "GroupCommit: a failed sync is reported to every process that waited for it, and the WAL is written again before the next") {
    const TemporaryDirectory directory;
    Process a(directory / "sync"), b(directory / "sync"), c(directory / "sync");
    for (Process* process : {&a, &b}) process->commit();
    a.wal.works = false;
    CHECK_THROWS_AS(a.wait(), db::StoreError);
    CHECK_THROWS_AS(b.wait(), db::StoreError);
    CHECK(b.wal.syncs == 0);
    CHECK(c.shared.is_suspect());

    c.commit_and_wait();
    CHECK(c.wal.written == 1);
    CHECK(c.wal.syncs == 1);
    CHECK_FALSE(c.shared.is_suspect());
    CHECK_FALSE(a.shared.is_suspect());
    b.commit_and_wait();
    CHECK(b.wal.written == 0);
}

TEST_CASE("GroupCommit: while it cannot be written again nothing is promised, and no sync is tried over the hole") {
    const TemporaryDirectory directory;
    Process a(directory / "sync"), b(directory / "sync");
    a.wal.works = false;
    a.commit();
    CHECK_THROWS_AS(a.wait(), db::StoreError);
    b.wal.works = false;
    b.commit();
    CHECK_THROWS_AS(b.wait(), db::StoreError);
    CHECK(b.wal.written == 1);
    CHECK(b.wal.syncs == 0);
    CHECK(b.shared.is_suspect());
}

TEST_CASE("GroupCommit: a sync that failed elsewhere puts the WAL in doubt also when no process waits") {
    const TemporaryDirectory directory;
    Process a(directory / "sync"), b(directory / "sync");
    a.commit_and_wait();
    b.shared.note_failure();
    CHECK(a.shared.is_suspect());
    a.commit_and_wait();
    CHECK(a.wal.written == 1);
    CHECK_FALSE(b.shared.is_suspect());
}

TEST_CASE("GroupCommit: a sync that began before another one failed does not hide the failure") {
    const TemporaryDirectory directory;
    Process a(directory / "sync"), b(directory / "sync");
    a.commit();
    a.wal.meanwhile = [&] { b.shared.note_failure(); };
    a.wait();  // what it committed is on the disk; what b could not sync is not
    CHECK(a.shared.is_suspect());
    CHECK(b.shared.is_suspect());
    a.commit_and_wait();
    CHECK(a.wal.written == 1);
    CHECK_FALSE(b.shared.is_suspect());
}

TEST_CASE("GroupCommit: a failure is remembered also where the file has lost its numbers") {
    const TemporaryDirectory directory;
    Process a(directory / "sync");
    for (int i = 0; i < 3; ++i) a.commit_and_wait();
    std::filesystem::resize_file(directory / "sync", 0);
    a.shared.note_failure();
    CHECK(a.shared.is_suspect());
    a.commit_and_wait();
    CHECK(a.wal.written == 1);
    CHECK_FALSE(a.shared.is_suspect());
}

TEST_CASE("GroupCommit: nothing that is found in the file makes a commit durable") {
    const TemporaryDirectory directory;
    const std::string early = file_after(directory, 3);
    const std::string late = file_after(directory, 9);
    const auto mix = [&](const std::string& committed, const std::string& synced) {
        return committed.substr(0, kRecordBytes) + synced.substr(kRecordBytes);
    };
    const struct {
        const char* what;
        std::string bytes;
    } rows[] = {
        {"nothing", ""},
        {"half a number", early.substr(0, 7)},
        {"zeros", std::string(512, '\0')},
        {"ones", std::string(512, '\xff')},
        {"of a moment before", early},
        {"more synced than committed", mix(early, late)},
        {"one more synced than committed", mix(early, file_after(directory, 4))},
        {"synced, committed unreadable", mix(std::string(kRecordBytes, '\0'), late)},
        {"each in the place of the other", early.substr(kRecordBytes, kRecordBytes) + early},
    };
    for (const auto& row : rows) {
        CAPTURE(row.what);
        Process a(directory / "sync"), b(directory / "sync");
        write_file(directory / "sync", row.bytes);
        a.commit();
        b.commit();
        a.wait();
        CHECK(a.wal.syncs == 1);
        for (int i = 0; i < 12; ++i) {  // up to and past every number that was in it
            b.commit_and_wait();
            CHECK(b.wal.syncs == i + 1);
        }
        a.commit();
        b.commit();
        a.wait();
        b.wait();
        CHECK(a.wal.syncs == 2);
        CHECK(b.wal.syncs == 12);  // and then one serves both again
        std::filesystem::remove(directory / "sync");
    }
}

TEST_CASE("GroupCommit: a file that is emptied or replaced while a process waits costs a sync, not a promise") {
    const TemporaryDirectory directory;
    const std::string before = file_after(directory, 3);
    for (const std::string& bytes : {std::string(), before}) {
        Process a(directory / "sync"), b(directory / "sync");
        for (int i = 0; i < 8; ++i) a.commit_and_wait();
        a.commit();
        write_file(directory / "sync", bytes);
        b.commit_and_wait();
        a.wait();
        CHECK(b.wal.syncs == 1);
        CHECK(a.wal.syncs == 9);
    }
}

TEST_CASE("GroupCommit: without a usable file every process syncs alone") {
    const TemporaryDirectory directory;
    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    write_file(directory / "precious", "precious");
    std::filesystem::create_symlink(directory / "precious", directory / "link");
    for (const char* name : {"fifo", "link", "missing/sync", "."}) {
        CAPTURE(std::string(name));
        Process a(directory / name), b(directory / name);
        a.commit();
        b.commit();
        CHECK(a.number == GroupCommit::kNoNumber);
        a.wait();
        b.wait();
        CHECK(a.wal.syncs == 1);
        CHECK(b.wal.syncs == 1);

        a.wal.works = false;
        CHECK_THROWS_AS(a.wait(), db::StoreError);
        CHECK(a.shared.is_suspect());
        a.wal.works = true;
        a.wait();
        CHECK(a.wal.written == 1);
        CHECK_FALSE(a.shared.is_suspect());
    }
    CHECK(read_file(directory / "precious") == "precious");
}

TEST_CASE(
    "GroupCommit: a process that has waited too long for another's sync syncs alone, and promises nothing to others") {
    const TemporaryDirectory directory;
    Process a(directory / "sync"), b(directory / "sync");
    const os::Descriptor stuck(::open((directory / "sync").c_str(), O_RDWR | O_CLOEXEC));
    REQUIRE(::flock(stuck.get(), LOCK_EX) == 0);
    a.commit();
    b.commit();
    a.shared.wait(a.number, Clock::now() + std::chrono::milliseconds(30), a.wal);
    CHECK(a.wal.syncs == 1);
    REQUIRE(::flock(stuck.get(), LOCK_UN) == 0);
    b.wait();
    CHECK(b.wal.syncs == 1);
}

TEST_CASE("GroupCommit: a process that is killed during a sync leaves it to the next, which syncs for all again") {
    const TemporaryDirectory directory;
    const auto path = directory / "sync";
    Process a(path), b(path);
    a.commit();
    b.commit();
    const pid_t child = start_child([&] {
        Process killed(path);
        killed.wal.meanwhile = [] { ::kill(::getpid(), SIGKILL); };
        killed.commit_and_wait();
        return 0;
    });
    CHECK(exit_code_of(child) == -1);
    a.wait();
    b.wait();
    CHECK(a.wal.syncs == 1);
    CHECK(b.wal.syncs == 0);
}

TEST_CASE("GroupCommit: the file has mode 0660 and its blocks from the beginning") {
    const TemporaryDirectory directory;
    const auto former = ::umask(0077);
    { const GroupCommit made(directory / "sync"); }
    ::umask(former);
    CHECK(mode_of(directory / "sync") == 0660);
    struct stat status {};
    REQUIRE(::stat((directory / "sync").c_str(), &status) == 0);
    CHECK(status.st_size == 512);
    CHECK(status.st_blocks > 0);
}
