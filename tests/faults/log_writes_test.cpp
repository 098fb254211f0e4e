// A commit is one write, and that write is refused or left half done: nothing of it counts, then or later.
#include <doctest/doctest.h>

#include <algorithm>

#include "db/database.h"
#include "faults/disk.h"
#include "faults/operations.h"
#include "faults/power.h"

namespace {

using namespace postern;
using namespace postern::test;
using db::Access;
using db::Database;
using db::Durability;
using db::Transaction;

constexpr std::size_t kFrame = 24 + 4096;
constexpr std::size_t kHeldFrames = 16;

/// Changes about as many pages as there are rows.
void add_rows(Database& database, const std::string& name, int rows) {
    Transaction transaction(database, Durability::lazy);
    for (int row = 0; row < rows; ++row) {
        database.prepare("INSERT INTO login_attempts (attempt_key, failures, ends_at) VALUES ($1, 1, 1)")
            .bind(1, name + std::to_string(row) + " " + std::string(3000, '.'))
            .execute();
    }
    transaction.commit();
}

bool is_of_the_log(const DiskEvent& event) {
    return event.what == DiskEvent::What::written && event.file.ends_with("-wal");
}

std::vector<DiskEvent> writes_of(const Recording& recording) {
    std::vector<DiskEvent> writes;
    std::ranges::copy_if(recording.events(), std::back_inserter(writes), is_of_the_log);
    return writes;
}

bool has(const std::string& rows, const std::string& name) { return rows.find("|" + name) != std::string::npos; }

TEST_CASE("joined writes: what a request commits goes to the log as one write, and much of it as few") {
    SampleInstallation& there = sample_installation();
    Database database(there.op.database_file().string(), Access::read_write);
    add_rows(database, "the log has its header", 1);
    struct Row {
        const char* what;
        std::function<void()> commit;
        std::size_t most;
    };
    Host host(Host::Life::long_one);
    host.take(there.op);
    for (const Row& row : {Row{"a request", [&] { operation("refresh").perform(there); }, 1},
                           Row{"a few pages", [&] { add_rows(database, "few", 3); }, 1},
                           Row{"a hundred pages", [&] { add_rows(database, "many", 100); }, 20}}) {
        CAPTURE(row.what);
        const Recording recording(there.op.database_file().string());
        row.commit();
        const std::vector<DiskEvent> writes = writes_of(recording);
        CHECK(!writes.empty());
        CHECK(writes.size() <= row.most);
        for (const DiskEvent& write : writes) CHECK(write.bytes.size() <= kHeldFrames * kFrame);
    }
}

TEST_CASE("joined writes: a machine that stops within one has nothing of its transaction and all of those before") {
    SampleInstallation& there = sample_installation();
    const std::string path = there.op.database_file().string();
    Database database(path, Access::read_write);
    add_rows(database, "before", 2);
    const Recording recording(path);
    add_rows(database, "after", 4);
    const std::vector<DiskEvent> writes = writes_of(recording);
    REQUIRE(writes.size() == 1);
    std::mt19937 unused;
    const std::string& bytes = writes.front().bytes;
    constexpr std::size_t kSector = 512;
    for (std::size_t length = 0; length <= bytes.size(); length += std::min(kSector, bytes.size() - length)) {
        CAPTURE(length);
        DiskEvent part = writes.front();
        part.bytes = bytes.substr(0, length);
        Platter platter(recording.before());
        platter.record(part);
        const Contents found = contents_of(platter.after(Loss::nothing, unused), path);
        CHECK(found.problem == "");
        CHECK(has(found.rows, "before1"));
        CHECK(has(found.rows, "after0") == (length == bytes.size()));
        if (length == bytes.size()) break;
    }
}

TEST_CASE("joined writes: one that fails is a commit that failed, and nothing of it is written later") {
    struct Row {
        const char* what;
        Fault fault;
        Lasting lasting;
        int rows;
        int at;  ///< which of the writes that the commit is
    };
    for (const Row& row : {Row{"half of a small one", Fault::short_write, Lasting::once, 3, 1},
                           Row{"nothing of a small one", Fault::full, Lasting::from_then_on, 3, 1},
                           Row{"half of one page", Fault::full, Lasting::once, 1, 1},
                           Row{"half of the first of some", Fault::short_write, Lasting::once, 40, 1},
                           Row{"half of the second", Fault::full, Lasting::once, 40, 2},
                           Row{"nothing from the third on", Fault::short_write, Lasting::from_then_on, 40, 3}}) {
        CAPTURE(row.what);
        SampleInstallation& there = sample_installation();
        const std::string path = there.op.database_file().string();
        Database database(path, Access::read_write);
        Database other(path, Access::read_write);
        add_rows(database, "before", 2);
        add_rows(other, "others", 2);
        Disk::instance().arm({row.fault, row.at, row.lasting});
        CHECK_THROWS_AS(add_rows(database, "failed", row.rows), db::StoreError);
        Disk::instance().disarm();
        const auto writes_of_one = [&](Database& writer, const std::string& name) {
            const Recording recording(path);
            add_rows(writer, name, 2);
            return writes_of(recording).size();
        };
        CHECK(writes_of_one(other, "later") == 1);
        CHECK(writes_of_one(database, "last") == 1);
        const Contents found = contents_of(there.files(), path);
        CHECK(found.problem == "");
        CHECK(found.rows == read_contents(path).rows);
        for (const char* name : {"before1", "others1", "later1", "last1"}) CHECK(has(found.rows, name));
        CHECK_FALSE(has(found.rows, "failed"));
    }
}

}  // namespace
