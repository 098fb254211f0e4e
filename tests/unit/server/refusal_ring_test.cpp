#include "server/refusal_ring.h"

#include <sys/stat.h>
#include <unistd.h>

#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using server::RefusalRecord;
using server::RefusalRing;

namespace {

RefusalRecord refusal_of(const std::string& id) {
    return {id, kNow, "token", 400, "invalid_scope", "invalid_scope_unknown", "words", "unknown scope: x", "client"};
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
            {id, Time{Seconds{-9'000'000'000'000'000}}, text, -2'000'000'000, text, text, text, text, text}));
        ring.record(refusal_of("neighbour"));
        const auto got = RefusalRing::find(path, id);
        REQUIRE(got);
        CHECK(got->status == -2'000'000'000);
        CHECK_FALSE(got->detail.empty());
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
