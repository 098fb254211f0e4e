// `postern init`: what it makes, what it leaves alone, and that of several at the same time one makes the installation.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "installation.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

TEST_CASE(
    "init: makes the database with WAL, lock and ring, one key per algorithm, jwks.json, seal.key and factor.key, closed to others "
    "[FKEY-1]") {
    const Installation installation(Installation::Start::configured);
    installation.must({"init"});
    const std::string database = installation.database_file().string();
    for (const char* suffix : {"", "-wal", "-shm", ".gate", ".sync"}) {
        CAPTURE(suffix);
        CHECK(mode_of(database + suffix) == 0660);
    }
    CHECK(mode_of(installation.directory() / "data" / "refusals.ring") == 0660);
    CHECK(mode_of(installation.directory() / "data") == 02770);
    CHECK(mode_of(installation.keys_directory()) == 0750);
    const auto keys = installation.private_keys();
    CHECK(keys.size() == 2);
    for (const fs::path& key : keys) CHECK((mode_of(key) & 07U) == 0);
    CHECK((mode_of(installation.keys_directory() / "seal.key") & 07U) == 0);
    CHECK(mode_of(installation.keys_directory() / "factor.key") == 0640);
    CHECK(fs::exists(installation.keys_directory() / "jwks.json"));
}

TEST_CASE("init: the keys are those of the two algorithms in use, and key list shows them") {
    const Installation installation(Installation::Start::configured,
                                    {{"accessTokenAlgorithm", "EdDSA"}, {"idTokenAlgorithm", "EdDSA"}});
    const auto made = installation.must_json({"init"});
    CHECK(text_of(made, "database") == installation.database());
    const auto keys = installation.must_json({"key", "list"});
    REQUIRE(keys.if_array());
    REQUIRE(keys.if_array()->size() == 1);
    const json::Value& key = keys.if_array()->front();
    CHECK(text_of(key, "alg") == "EdDSA");
    CHECK(text_of(key, "state") == "active");
    CHECK(text_of(key, "kid").size() == 43);
    CHECK(member_of(key, "signs_from").if_integer());
    CHECK(has(installation.must({"key", "list"}), text_of(key, "kid")));
}

TEST_CASE("init: makes missing directories on the way, and a slash at the end of a directory means nothing") {
    const Installation installation(Installation::Start::configured);
    const fs::path deep = installation.directory() / "a" / "b";
    installation.write_config({{"issuer", "https://id.example.org"},
                               {"database", (deep / "data" / "postern.db").string()},
                               {"keys", (deep / "keys").string() + "/"}});
    installation.must({"init"});
    CHECK(mode_of(deep.parent_path()) == 0755);
    CHECK(mode_of(deep / "data") == 02770);
    CHECK(mode_of(deep / "keys") == 0750);
    CHECK(fs::exists(deep / "keys" / "jwks.json"));
}

TEST_CASE("init: a second run changes nothing and exits 1") {
    const Installation installation;
    installation.must({"user", "add", "ada", "--password-stdin"}, "quiet boats remember\n");
    const auto keys = installation.private_keys();
    installation.refused({"init"});
    CHECK(installation.private_keys() == keys);
    CHECK(has(installation.must({"user", "list"}), "ada"));
}

TEST_CASE("init: one file of an earlier installation is enough to refuse, and no other is made") {
    for (const char* file : {"data/postern.db", "data/postern.db-wal", "keys/seal.key", "keys/factor.key",
                             "keys/jwks.json", "keys/x.pem"}) {
        if (is_on_postgresql() && std::string_view(file).starts_with("data/")) continue;
        CAPTURE(file);
        const Installation installation(Installation::Start::configured);
        const fs::path path = installation.directory() / file;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << "kept";
        CHECK(has(installation.refused({"init"}), path.string()));
        CHECK(fs::file_size(path) == 4);
        CHECK(std::distance(fs::directory_iterator(path.parent_path()), fs::directory_iterator()) == 1);
    }
}

TEST_CASE("init: when a later step fails, what was made before is taken away again") {
    const Installation installation(Installation::Start::configured);
    fs::create_directories(installation.directory() / "data" / "postern.db.gate");  // a gate that is no file
    const auto result = installation.postern({"init"});
    CHECK(result.exit_code == 1);
    CHECK_FALSE(fs::exists(installation.database_file()));
    CHECK_FALSE(fs::exists(installation.keys_directory()));
}

TEST_CASE("init: files in a directory of its own keep the modes and the neighbours that it had") {
    const Installation installation(Installation::Start::configured);
    fs::create_directory(installation.directory() / "data");
    fs::permissions(installation.directory() / "data", fs::perms(0700));
    std::ofstream(installation.directory() / "data" / "notes.txt") << "mine";
    installation.must({"init"});
    CHECK(mode_of(installation.directory() / "data") == 0700);
    CHECK(fs::exists(installation.directory() / "data" / "notes.txt"));
}

TEST_CASE("init: --owner of an unknown user is refused before anything is made") {
    const Installation installation(Installation::Start::configured);
    for (const char* owner : {"no-such-user-here:nogroup", "nobody:no-such-group-here"}) {
        installation.refused({"init", "--owner", owner});
    }
    CHECK_FALSE(fs::exists(installation.directory() / "data"));
}

TEST_CASE("init: run as root, --owner owns everything that was made, and later commands keep it so") {
    if (::geteuid() != 0) return;  // only root can give files away
    const Installation installation(Installation::Start::configured);
    installation.must({"init", "--owner", "65534:12345"});
    installation.must({"user", "add", "ada", "--password-stdin"}, "quiet boats remember\n");
    std::size_t seen = 0;
    for (const char* directory : {"data", "keys"}) {
        std::vector<fs::path> paths = {installation.directory() / directory};
        for (const auto& entry : fs::directory_iterator(paths[0])) paths.push_back(entry.path());
        for (const fs::path& path : paths) {
            CAPTURE(path.string());
            struct stat status {};
            REQUIRE(::lstat(path.c_str(), &status) == 0);
            CHECK(status.st_uid == 65534);
            CHECK(status.st_gid == 12345);
            ++seen;
        }
    }
    CHECK(seen >= (is_on_postgresql() ? 6 : 11));
    CHECK(mode_of(installation.directory() / "data") == 02770);
    struct stat root {};
    REQUIRE(::stat(installation.directory().c_str(), &root) == 0);
    CHECK(root.st_uid == 0);
}

TEST_CASE("init: run as root, empty directories that wait for it are given to --owner, and others are not") {
    if (::geteuid() != 0) return;
    for (const bool shared : {false, true}) {
        CAPTURE(shared);
        const Installation installation(Installation::Start::configured);
        const fs::path data = installation.directory() / "data";
        fs::create_directories(data);
        fs::create_directories(installation.keys_directory());
        fs::permissions(installation.keys_directory(), fs::perms(0751));
        if (shared) write_file(data / "neighbour", "");
        installation.must({"init", "--owner", "65534:12345"});
        struct stat status {};
        REQUIRE(::stat(data.c_str(), &status) == 0);
        CHECK(status.st_uid == (shared ? 0 : 65534));
        CHECK(status.st_gid == (shared ? 0 : 12345));
        REQUIRE(::stat(installation.keys_directory().c_str(), &status) == 0);
        CHECK(status.st_uid == 65534);
        CHECK(mode_of(installation.keys_directory()) == 0751);
    }
}

TEST_CASE("init: run as root without --owner, files get the owner and group of the directory they are in") {
    if (::geteuid() != 0) return;
    const Installation installation(Installation::Start::configured);
    for (const char* directory : {"data", "keys"}) {
        fs::create_directory(installation.directory() / directory);
        REQUIRE(::chown((installation.directory() / directory).c_str(), 65534, 12345) == 0);
    }
    installation.must({"init"});
    installation.must({"user", "add", "ada", "--password-stdin"}, "quiet boats remember\n");
    for (const char* directory : {"data", "keys"}) {
        for (const auto& entry : fs::directory_iterator(installation.directory() / directory)) {
            CAPTURE(entry.path().string());
            struct stat status {};
            REQUIRE(::lstat(entry.path().c_str(), &status) == 0);
            CHECK(status.st_uid == 65534);
            CHECK(status.st_gid == 12345);
        }
    }
}

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

/// Checks that all that one `init` makes is there, and that commands work with it.
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
