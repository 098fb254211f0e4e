// Several `postern init` at the same time: one makes the installation, and no other one harms it.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "installation.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

/// A command that was started and has not been waited for; its output goes to a file.
class Started {
public:
    Started(const Installation& installation, Words arguments, const std::string& stop_at = {})
        : output_(installation.directory().string() + "." + std::to_string(++count_) + ".out") {
        arguments.insert(arguments.begin(), postern_program());
        const std::string preloaded = (build_directory() / "tests" / "stop_preload.so").string() + ":" +
                                      (build_directory() / "tests" / "fake_clock_preload.so").string();
        Words environment = {"PATH=/usr/bin:/bin", "POSTERN_CONFIG=" + installation.config_file().string(),
                             "LD_PRELOAD=" + preloaded, "ASAN_OPTIONS=verify_asan_link_order=0"};
        if (!stop_at.empty()) environment.push_back("POSTERN_TEST_STOP_AT=" + stop_at);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 1, output_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
        REQUIRE(::posix_spawn(&child_, arguments[0].c_str(), &actions, nullptr, pointers(arguments).data(),
                              pointers(environment).data()) == 0);
        posix_spawn_file_actions_destroy(&actions);
    }
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;
    ~Started() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        std::error_code ignored;
        fs::remove(output_, ignored);
    }

    /// Until the process has stopped. False: it has ended instead.
    bool wait_until_stopped() {
        int status = 0;
        REQUIRE(::waitpid(child_, &status, WUNTRACED) == child_);
        if (!WIFSTOPPED(status)) child_ = -1;
        return WIFSTOPPED(status);
    }

    /// Until the process has ended, which was let go on if it had stopped.
    int exit_code() {
        ::kill(child_, SIGCONT);
        int status = 0;
        REQUIRE(::waitpid(child_, &status, 0) == child_);
        child_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }

    std::string output() const { return read_file(output_); }

private:
    static std::vector<char*> pointers(Words& texts) {
        std::vector<char*> all;
        for (std::string& text : texts) all.push_back(text.data());
        all.push_back(nullptr);
        return all;
    }

    static inline int count_ = 0;
    std::string output_;
    pid_t child_ = -1;
};

/// Every file below the two directories with its content.
std::map<std::string, std::string> files_of(const Installation& installation) {
    std::map<std::string, std::string> files;
    for (const fs::path& directory : {installation.directory() / "data", installation.keys_directory()}) {
        for (const auto& entry : fs::directory_iterator(directory)) files[entry.path()] = read_file(entry.path());
    }
    return files;
}

/// What one `init` makes, and that commands work with it.
void check_whole(const Installation& installation) {
    Words names;
    for (const auto& [path, content] : files_of(installation)) {
        const std::string name = fs::path(path).filename();
        names.push_back(name.ends_with(".pem") ? name.substr(0, name.find('.')) + ".pem" : name);
    }
    std::ranges::sort(names);
    Words expected = {"ES256.pem", "RS256.pem", "factor.key", "jwks.json", "refusals.ring", "seal.key"};
    if (!is_on_postgresql()) {
        for (const char* suffix : {"", "-shm", "-wal", ".gate", ".sync"})
            expected.push_back(std::string("postern.db") + suffix);
    } else {
        expected.insert(expected.end(), {"generation", "transport.key"});  // the keys are shared
    }
    std::ranges::sort(expected);
    CHECK(names == expected);
    CHECK(installation.must_json({"key", "list"}).if_array()->size() == 2);
    CHECK_FALSE(has(installation.postern({"doctor"}).out, "FAIL"));
    installation.must({"user", "add", "ada", "--password-stdin"}, "secret boats of ada\n");
}

}  // namespace

TEST_CASE("init: of several at the same time one makes a whole installation, and the others change nothing") {
    for (int round = 0; round < 25; ++round) {
        CAPTURE(round);
        const Installation installation(Installation::Start::configured);
        Started first(installation, {"init"});
        Started second(installation, {"init"});
        const std::vector<int> codes = {first.exit_code(), second.exit_code()};
        CAPTURE(first.output());
        CAPTURE(second.output());
        CHECK(std::ranges::count(codes, 0) == 1);
        CHECK(std::ranges::count(codes, 1) == 1);
        check_whole(installation);
    }
}

TEST_CASE("init: one that is stopped while it makes the keys keeps a second one out, and finishes") {
    for (const char* moment : {"fsync:1", "fsync:3", "fsync:5"}) {
        CAPTURE(moment);
        const Installation installation(Installation::Start::configured);
        Started stopped(installation, {"init"}, moment);
        REQUIRE(stopped.wait_until_stopped());
        installation.refused({"init"});
        CHECK(stopped.exit_code() == 0);
        check_whole(installation);
    }
}

TEST_CASE("init: one that goes on after another has made the installation is refused, and removes nothing") {
    const Installation installation(Installation::Start::configured);
    Started stopped(installation, {"init"}, "flock:1");  // its directories are made, its lock is not taken
    REQUIRE(stopped.wait_until_stopped());
    installation.must({"init"});
    installation.must({"user", "add", "eve", "--password-stdin"}, "secret boats of eve\n");
    const auto before = files_of(installation);
    CHECK(stopped.exit_code() == 1);
    CHECK(is_one_plain_line(stopped.output()));
    CHECK(files_of(installation) == before);
    check_whole(installation);
}

TEST_CASE("init: one whose directories were moved away while it was stopped removes nothing of their replacements") {
    for (const char* moment : {"fsync:1", "fsync:3", "fsync:5"}) {
        CAPTURE(moment);
        const Installation installation(Installation::Start::configured);
        Started stopped(installation, {"init"}, moment);
        REQUIRE(stopped.wait_until_stopped());
        fs::rename(installation.keys_directory(), installation.directory() / "moved");
        installation.must({"init"});
        installation.must({"user", "add", "eve", "--password-stdin"}, "secret boats of eve\n");
        const auto before = files_of(installation);
        CHECK(stopped.exit_code() == 1);
        CHECK(files_of(installation) == before);
        check_whole(installation);
    }
}
