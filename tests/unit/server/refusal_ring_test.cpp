#include "server/refusal_ring.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using server::RefusalRecord;
using server::RefusalRing;

namespace {

RefusalRecord refusal_of(const std::string& id) {
    return {id,       kNow, "token", 400, "invalid_scope", "invalid_scope_unknown", "words", "unknown scope: x",
            "client", "",   "sub-1"};
}

/// The ids in their order, with a blank behind each.
std::string ids_of(const std::vector<RefusalRecord>& records) {
    std::string ids;
    for (const RefusalRecord& record : records) ids += record.request_id + " ";
    return ids;
}

/// Writes bytes over the slot of that number.
void overwrite(const std::string& path, std::uint64_t number, const std::string& bytes) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>((1 + number % server::kRingSlots) * server::kRingSlotBytes));
    file << bytes;
    REQUIRE(file.good());
}

/// A number that was taken by a process that has not written its record yet.
void take_number(const std::string& path) {
    std::uint64_t counter = 0;
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.read(reinterpret_cast<char*>(&counter), sizeof counter);
    ++counter;
    file.seekp(0);
    file.write(reinterpret_cast<const char*>(&counter), sizeof counter);
    REQUIRE(file.good());
}

}  // namespace

TEST_CASE("RefusalRing: what was recorded is found by its request id") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    RefusalRing ring(path);
    auto put = refusal_of("id-1");
    put.detail = "caf\xc3\xa9 \"<>&\n";
    CHECK(ring.record(put));
    CHECK(ring.record(refusal_of("id-2")));
    const auto got = RefusalRing::find(path, "id-1");
    REQUIRE(got);
    CHECK(got->request_id == put.request_id);
    CHECK(got->time == put.time);
    CHECK(got->endpoint == put.endpoint);
    CHECK(got->status == put.status);
    CHECK(got->error == put.error);
    CHECK(got->reason == put.reason);
    CHECK(got->description == put.description);
    CHECK(got->detail == put.detail);
    CHECK(got->client_id == put.client_id);
    CHECK(got->subject == put.subject);
    for (const char* other : {"id-3", "id-", "id-11", ""}) CHECK_FALSE(RefusalRing::find(path, other));
    CHECK_FALSE(RefusalRing::find(directory / "no.ring", "id-1"));
}

TEST_CASE("RefusalRing: a record without a reason, as earlier versions wrote them, has that of its error") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    std::string slots(server::kRingSlotBytes, '\0');
    slots += R"({"n":0,"request_id":"old","time":1,"endpoint":"token","status":400,"error":"invalid_grant"})";
    slots.resize(slots.size() + server::kRingSlotBytes, '\0');
    write_file(path, slots);
    const auto got = RefusalRing::find(path, "old");
    REQUIRE(got);
    CHECK(got->reason == "invalid_grant");
    CHECK(got->detail == "");
    CHECK(got->subject == "");
    CHECK(ids_of(RefusalRing::list(path)) == "old ");
}

TEST_CASE("RefusalRing: the newest record of an id wins, in every ring position") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    RefusalRing ring(path);
    auto put = refusal_of("same");
    for (int i = 0; i < server::kRingSlots - 1; ++i) ring.record(refusal_of("other"));
    put.status = 1;
    ring.record(put);  // the last slot
    CHECK(RefusalRing::find(path, "same")->status == 1);
    put.status = 2;
    ring.record(put);  // the first slot
    CHECK(RefusalRing::find(path, "same")->status == 2);
    put.status = 3;
    ring.record(put);
    CHECK(RefusalRing::find(path, "same")->status == 3);
}

TEST_CASE("RefusalRing: of fixed size, the oldest record is overwritten") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    RefusalRing ring(path);
    const auto size = std::filesystem::file_size(path);
    CHECK(size == (server::kRingSlots + 1) * std::uintmax_t{server::kRingSlotBytes});
    ring.record(refusal_of("first"));
    for (int i = 1; i < server::kRingSlots; ++i) ring.record(refusal_of("other"));
    CHECK(RefusalRing::find(path, "first"));
    ring.record(refusal_of("one too many"));
    CHECK_FALSE(RefusalRing::find(path, "first"));
    CHECK(std::filesystem::file_size(path) == size);
}

TEST_CASE(
    "RefusalRing: the counter has its place on the disk from the start, so that a full one cannot kill a process") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    const auto bytes_on_disk = [&] {
        struct stat status {};
        REQUIRE(::stat(path.c_str(), &status) == 0);
        return status.st_blocks * 512;
    };
    { const RefusalRing made(path); }
    CHECK(bytes_on_disk() >= ::sysconf(_SC_PAGESIZE));

    // One that was made without: the size is right, and all of it is a hole.
    REQUIRE(::truncate(path.c_str(), 0) == 0);
    REQUIRE(::truncate(path.c_str(), (server::kRingSlots + 1) * off_t{server::kRingSlotBytes}) == 0);
    REQUIRE(bytes_on_disk() == 0);
    { const RefusalRing opened(path); }
    CHECK(bytes_on_disk() >= ::sysconf(_SC_PAGESIZE));
}

TEST_CASE("RefusalRing: texts of any length and bytes are cut to one slot, and the id stays whole") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    RefusalRing ring(path);
    const std::string id(64, 'i');
    for (const char byte : {'x', '\x01', '\xff', '<', '"', '\0'}) {
        CAPTURE(static_cast<int>(byte));
        const std::string text(5000, byte);
        CHECK(ring.record(
            {id, Time{Seconds{-9'000'000'000'000'000}}, text, -2'000'000'000, text, text, text, text, text, text, id}));
        ring.record(refusal_of("neighbour"));
        const auto got = RefusalRing::find(path, id);
        REQUIRE(got);
        CHECK(got->status == -2'000'000'000);
        CHECK_FALSE(got->detail.empty());
        CHECK(got->subject == id);
        CHECK(RefusalRing::find(path, "neighbour"));
    }
}

TEST_CASE("RefusalRing: every record of processes that write at the same time has a slot of its own") {
    constexpr int kProcesses = 6;
    constexpr int kEach = 300;
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        children.push_back(start_child([&] {
            RefusalRing ring(path);
            for (int i = 0; i < kEach; ++i) {
                if (!ring.record(refusal_of(std::to_string(process) + "-" + std::to_string(i)))) return 1;
            }
            return 0;
        }));
    }
    for (const pid_t child : children) CHECK(exit_code_of(child) == 0);
    for (int process = 0; process < kProcesses; ++process) {
        for (int i = 0; i < kEach; i += 37) {
            CHECK(RefusalRing::find(path, std::to_string(process) + "-" + std::to_string(i)));
        }
    }
}

TEST_CASE("RefusalRing: made with mode 0660; an unusable one is not a reason to refuse service") {
    const TemporaryDirectory directory;
    const auto former = ::umask(0077);
    { const RefusalRing ring(directory / "refusals.ring"); }
    ::umask(former);
    CHECK(mode_of(directory / "refusals.ring") == 0660);

    std::filesystem::create_symlink(directory / "refusals.ring", directory / "link");
    REQUIRE(::mkfifo((directory / "fifo").c_str(), 0600) == 0);
    for (const char* name : {"link", "fifo", "missing/refusals.ring", "."}) {
        CAPTURE(name);
        RefusalRing ring(directory / name);
        CHECK_FALSE(ring.record(refusal_of("id")));
        CHECK_FALSE(RefusalRing::find(directory / name, "id"));
    }
}

TEST_CASE("RefusalRing: a file that was cut, or filled with something else, works again") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    RefusalRing ring(path);
    ring.record(refusal_of("before"));
    std::filesystem::resize_file(path, 0);  // while it is mapped
    CHECK(ring.record(refusal_of("after")));
    CHECK(RefusalRing::find(path, "after"));
    CHECK_FALSE(RefusalRing::find(path, "before"));

    write_file(path, std::string(100000, '{'));
    RefusalRing other(path);
    CHECK(other.record(refusal_of("again")));
    CHECK(RefusalRing::find(path, "again"));
}

TEST_CASE("RefusalRing::list: all records, the newest first, also where the ring begins again") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    CHECK(RefusalRing::list(path).empty());
    RefusalRing ring(path);
    CHECK(RefusalRing::list(path).empty());
    for (const char* id : {"a", "b", "c"}) ring.record(refusal_of(id));
    CHECK(ids_of(RefusalRing::list(path)) == "c b a ");
    CHECK(RefusalRing::list(path).front().time == kNow);
    for (int i = 3; i < server::kRingSlots; ++i) ring.record(refusal_of("x"));
    for (const char* id : {"d", "e"}) ring.record(refusal_of(id));
    const auto all = RefusalRing::list(path);
    REQUIRE(all.size() == server::kRingSlots);
    CHECK(all[0].request_id == "e");
    CHECK(all[1].request_id == "d");
    CHECK(all[2].request_id == "x");
    CHECK(all.back().request_id == "c");
}

TEST_CASE("RefusalRing::list: while others write, each record is whole") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    { const RefusalRing made(path); }
    std::vector<pid_t> children;
    for (int process = 0; process < 3; ++process)
        children.push_back(start_child([&, process] {
            RefusalRing ring(path);
            const std::string text(static_cast<std::size_t>(20 + 100 * process), static_cast<char>('a' + process));
            for (int i = 0; i < 3 * server::kRingSlots; ++i)
                if (!ring.record({text, kNow, text, 400, text, text, text, text, text, "", text})) return 1;
            return 0;
        }));
    for (int look = 0; look < 30; ++look) {
        for (const RefusalRecord& record : RefusalRing::list(path)) {
            const char byte = record.request_id.at(0);
            for (const std::string* text : {&record.endpoint, &record.detail, &record.client_id})
                CHECK(text->find_first_not_of(byte) == std::string::npos);
        }
    }
    for (const pid_t child : children) CHECK(exit_code_of(child) == 0);
}

TEST_CASE("RefusalTail: brings what is new, in its order and once") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    RefusalRing ring(path);
    ring.record(refusal_of("before"));
    server::RefusalTail tail(path);
    CHECK(tail.take_new().empty());
    ring.record(refusal_of("1"));
    ring.record(refusal_of("2"));
    CHECK(ids_of(tail.take_new()) == "1 2 ");
    CHECK(tail.take_new().empty());
    CHECK(tail.lost() == 0);
}

TEST_CASE("RefusalTail: a record whose number was taken comes when it is written, and holds up no other") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    RefusalRing ring(path);
    server::RefusalTail tail(path);
    take_number(path);  // 0
    ring.record(refusal_of("1"));
    CHECK(ids_of(tail.take_new()) == "1 ");
    const std::string late = server::write_slot({0, refusal_of("0")});
    overwrite(path, 0, late.substr(0, late.find("\"end\"")));  // half of it
    CHECK(tail.take_new().empty());
    overwrite(path, 0, late);
    CHECK(ids_of(tail.take_new()) == "0 ");
    take_number(path);  // of a process that was killed
    for (int look = 0; look < 100; ++look) CHECK(tail.take_new().empty());
    overwrite(path, 2, server::write_slot({2, refusal_of("2")}));
    CHECK(tail.take_new().empty());
    CHECK(tail.lost() == 0);
}

TEST_CASE("RefusalTail: what was overwritten between two looks is counted") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    RefusalRing ring(path);
    server::RefusalTail tail(path);
    for (int i = 0; i < server::kRingSlots + 3; ++i) ring.record(refusal_of(std::to_string(i)));
    const auto found = tail.take_new();
    REQUIRE(found.size() == server::kRingSlots);
    CHECK(found.front().request_id == "3");
    CHECK(tail.lost() == 3);
    take_number(path);
    CHECK(tail.take_new().empty());
    for (int i = 0; i < server::kRingSlots; ++i) ring.record(refusal_of("x"));
    CHECK(tail.take_new().size() == server::kRingSlots);
    CHECK(tail.lost() == 4);  // the slot that was awaited has the record of the next round
}

TEST_CASE("RefusalTail: a ring that is missing, cut or made anew is followed from its beginning") {
    const TemporaryDirectory directory;
    const auto path = directory / "refusals.ring";
    server::RefusalTail tail(path);
    CHECK(tail.take_new().empty());
    {
        RefusalRing ring(path);
        ring.record(refusal_of("first"));
        ring.record(refusal_of("second"));
        CHECK(ids_of(tail.take_new()) == "first second ");
        std::filesystem::resize_file(path, 0);  // while it is mapped
        CHECK(tail.take_new().empty());
        ring.record(refusal_of("after"));
        CHECK(ids_of(tail.take_new()) == "after ");
    }
    std::filesystem::remove(path);
    CHECK(tail.take_new().empty());
    RefusalRing again(path);
    again.record(refusal_of("anew"));
    again.record(refusal_of("too"));
    CHECK(ids_of(tail.take_new()) == "anew too ");
}
