// `postern init`: what it makes, and what it leaves alone.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "installation.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> private_keys(const Installation& installation) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(installation.keys_directory())) {
        if (entry.path().extension() == ".pem") found.push_back(entry.path());
    }
    return found;
}

}  // namespace

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
    const auto keys = private_keys(installation);
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
    const auto keys = private_keys(installation);
    installation.refused({"init"});
    CHECK(private_keys(installation) == keys);
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
        const auto result = installation.postern({"init"});
        CHECK(result.exit_code == 1);
        CHECK(has(result.err, path.string()));
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
