// Who was the first to use something, and how much room the marks take (JTI-1 to JTI-8).
#include "store/replays.h"

#include <doctest/doctest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "db/error.h"
#include "db/replay_file.h"
#include "support/files.h"

using namespace postern;
using store::Marked;
using test::kNow;
using util::Seconds;

namespace {

constexpr std::int64_t kRoom = 1 << 20;

Marked use(db::Database& replays, const std::string& owner, const std::string& jti, Seconds good_for = Seconds(60),
           std::int64_t room = kRoom, util::Time now = kNow) {
    return store::mark_used(replays, store::ReplayKind::assertion, store::mark_of(owner, jti, now + good_for), room,
                            now);
}

}  // namespace

TEST_CASE(
    "replays: the second use is refused, and only of the same name from the same owner [JTI-2, JTI-3, RFC 7523 §3 item 7, CVE-2026-4282]") {
    auto replays = db::replays_in_memory(kRoom);
    CHECK(use(replays, "app", "1") == Marked::first);
    CHECK(use(replays, "app", "1") == Marked::again);
    CHECK(use(replays, "app", "2") == Marked::first);
    CHECK(use(replays, "other", "1") == Marked::first);
    // Neither can be made of the other by moving bytes.
    CHECK(use(replays, "a", "pp1") == Marked::first);
    CHECK(use(replays, "app", "1") == Marked::again);
    CHECK(store::count_marks(replays, store::ReplayKind::assertion) == 4);
}

TEST_CASE("replays: a mark lasts as long as what it marks, and is deleted later [JTI-5]") {
    auto replays = db::replays_in_memory(kRoom);
    REQUIRE(use(replays, "app", "1", Seconds(60)) == Marked::first);
    CHECK(use(replays, "app", "1", Seconds(60), kRoom, kNow + Seconds(60)) == Marked::again);
    REQUIRE(use(replays, "app", "2", Seconds(60), kRoom, kNow + Seconds(61)) == Marked::first);
    CHECK(store::count_marks(replays, store::ReplayKind::assertion) == 1);
}

TEST_CASE("replays: one context has a quarter of the room, and others go on [JTI-6]") {
    auto replays = db::replays_in_memory(kRoom);
    constexpr std::int64_t kSmall = 16000;  // 25 marks of a context
    for (int i = 0; i < 25; ++i) REQUIRE(use(replays, "app", std::to_string(i), Seconds(60), kSmall) == Marked::first);
    CHECK(use(replays, "app", "more", Seconds(60), kSmall) == Marked::crowded);
    CHECK(use(replays, "app", "0", Seconds(60), kSmall) == Marked::again);
    CHECK(use(replays, "other", "more", Seconds(60), kSmall) == Marked::first);
    CHECK(store::count_marks(replays, store::ReplayKind::assertion) == 26);
    // What has expired makes room, also for the one who filled it.
    CHECK(use(replays, "app", "more", Seconds(60), kSmall, kNow + Seconds(61)) == Marked::first);
}

TEST_CASE("replays: a full store accepts nothing, and keeps what it has [JTI-6]") {
    auto replays = db::replays_in_memory(0);
    int taken = 0;
    const auto fill = [&] {
        for (; taken < 10000; ++taken)
            if (use(replays, "app" + std::to_string(taken), "1") != Marked::first) return;
    };
    CHECK_THROWS_AS(fill(), db::StoreError);
    CHECK(taken > 20);
    CHECK(use(replays, "app0", "1") == Marked::again);
    CHECK_THROWS_AS(use(replays, "another", "1"), db::StoreError);
    CHECK(use(replays, "another", "1", Seconds(60), kRoom, kNow + Seconds(61)) == Marked::first);
}

TEST_CASE("replays: of processes that use the same name at once, one is the first [JTI-1, JTI-3]") {
    const test::TemporaryDirectory directory;
    const std::string path = directory / "replays/assertions";
    constexpr int kProcesses = 4;
    constexpr int kNames = 200;
    std::vector<pid_t> children;
    for (int process = 0; process < kProcesses; ++process) {
        const pid_t child = ::fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            std::string firsts;
            try {
                auto replays = db::open_replay_file(path, kRoom);  // all of them find no file
                for (int i = 0; i < kNames; ++i)
                    if (use(replays, "app", std::to_string(i)) == Marked::first) firsts += std::to_string(i) + "\n";
            } catch (const std::exception& error) {
                firsts = std::string("failed: ") + error.what();
            }
            std::ofstream(directory / std::to_string(process)) << firsts;
            ::_exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) ::waitpid(child, nullptr, 0);
    std::multiset<std::string> firsts;
    for (int process = 0; process < kProcesses; ++process) {
        std::istringstream lines(test::read_file(directory / std::to_string(process)));
        for (std::string line; std::getline(lines, line);) firsts.insert(line);
    }
    for (int i = 0; i < kNames; ++i) {
        CAPTURE(i);
        CHECK(firsts.count(std::to_string(i)) == 1);
    }
    CHECK(firsts.size() == kNames);
}

TEST_CASE("replays: whoever has a file open that was made anew accepts nothing more [JTI-8]") {
    const test::TemporaryDirectory directory;
    const std::string path = directory / "replays/assertions";
    auto older = db::open_replay_file(path, kRoom);
    REQUIRE(use(older, "app", "1") == Marked::first);
    for (const char* name : {"", "-wal", "-shm"}) std::filesystem::remove(path + name);
    auto newer = db::open_replay_file(path, kRoom);
    CHECK(use(newer, "app", "2") == Marked::first);
    CHECK_THROWS_AS(use(older, "app", "2"), db::StoreError);
    CHECK_THROWS_AS(use(older, "app", "3"), db::StoreError);
    CHECK(use(newer, "app", "3") == Marked::first);
}

TEST_CASE("replays: a file that is missing or damaged is made anew, and one that is there is kept [JTI-8]") {
    const test::TemporaryDirectory directory;
    const std::string path = directory / "replays/assertions";
    {
        auto replays = db::open_replay_file(path, kRoom);
        REQUIRE(use(replays, "app", "1") == Marked::first);
    }
    {
        auto replays = db::open_replay_file(path, kRoom);
        CHECK(use(replays, "app", "1") == Marked::again);
    }
    CHECK(test::mode_of(directory / "replays") == 02770);
    for (const char* name : {"", "-wal", "-shm"}) CHECK(test::mode_of(path + name) == 0660);
    for (const std::string& content : {std::string("no database"), std::string(8192, '\0'), std::string()}) {
        CAPTURE(content.size());
        std::filesystem::remove(path + "-wal");
        std::filesystem::remove(path + "-shm");
        std::ofstream(path, std::ios::trunc) << content;
        auto replays = db::open_replay_file(path, kRoom);
        CHECK(use(replays, "app", "1") == Marked::first);
        CHECK(use(replays, "app", "1") == Marked::again);
    }
}
