// `postern key repair` and `key rotate --stolen`: each loss of keys has one command that puts it right.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "installation.h"
#include "support/database.h"
#include "support/deployment.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

/// "ES256 active, RS256 active", sorted; the kids of the active ones in `kids`.
std::string states(const Installation& installation, std::map<std::string, std::string>* kids = nullptr) {
    Words words;
    const auto keys = installation.must_json({"key", "list"});
    for (const json::Value& key : *keys.if_array()) {
        words.push_back(text_of(key, "alg") + " " + text_of(key, "state"));
        if (kids && text_of(key, "state") == "active") (*kids)[text_of(key, "alg")] = text_of(key, "kid");
    }
    std::ranges::sort(words);
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

constexpr const char* kBothSign = "ES256 active, RS256 active";

/// On a server `init` shares the keys, and a repair would begin with those of the database (nodes.test.mjs).
void unshare(const Installation& installation) {
    if (test::is_on_postgresql()) installation.must({"key", "share", "--stop"});
}

}  // namespace

TEST_CASE("key repair: a lost factor.key is a warning, for everything else works, and comes back [FKEY-1] [FKEY-3]") {
    const Installation installation;
    unshare(installation);
    fs::remove(installation.keys_directory() / "factor.key");
    const auto found = installation.postern({"doctor"});
    CHECK(found.exit_code == 0);
    CHECK(has(found.out, "factor.key is missing"));
    CHECK(has(found.out, "postern key repair"));
    CHECK(installation.must({"key", "repair"}) == "factor.key is new\n");
    CHECK(fs::file_size(installation.keys_directory() / "factor.key") == 32);
    CHECK_FALSE(has(installation.must({"doctor"}), "factor.key is missing"));
}

TEST_CASE("key repair: for each file that was lost, doctor names the command, and the command restores it [S13]") {
    struct Row {
        const char* lost;
        std::function<void(const Installation&)> lose;
        const char* said;        ///< by the command
        const char* afterwards;  ///< states of the keys
        bool same_keys;          ///< those that signed before sign again
    };
    const Row rows[] = {
        {"one signing key", [](const Installation& i) { fs::remove(i.private_keys("RS256").front()); },
         "the RS256 key ", "ES256 active, RS256 active, RS256 retired", false},
        {"all signing keys",
         [](const Installation& i) {
             for (const auto& key : i.private_keys()) fs::remove(key);
         },
         "the ES256 key ", "ES256 active, ES256 retired, RS256 active, RS256 retired", false},
        {"jwks.json", [](const Installation& i) { fs::remove(i.keys_directory() / "jwks.json"); },
         "jwks.json was rebuilt from 2 private keys", kBothSign, true},
        {"a signing key and jwks.json",
         [](const Installation& i) {
             fs::remove(i.private_keys("ES256").front());
             fs::remove(i.keys_directory() / "jwks.json");
         },
         "jwks.json was rebuilt from 1 private key\nthe ES256 key ", kBothSign, false},
        {"all signing keys and jwks.json",
         [](const Installation& i) {
             for (const auto& key : i.private_keys()) fs::remove(key);
             fs::remove(i.keys_directory() / "jwks.json");
         },
         "jwks.json was rebuilt from 0 private keys\n", kBothSign, false},
        {"seal.key", [](const Installation& i) { fs::remove(i.keys_directory() / "seal.key"); }, "seal.key is new",
         kBothSign, true},
        {"jwks.json and seal.key",
         [](const Installation& i) {
             fs::remove(i.keys_directory() / "jwks.json");
             fs::remove(i.keys_directory() / "seal.key");
         },
         "2 private keys\nseal.key is new", kBothSign, true},
        {"everything in the directory",
         [](const Installation& i) {
             for (const auto& entry : fs::directory_iterator(i.keys_directory())) fs::remove(entry.path());
         },
         "jwks.json was rebuilt from 0 private keys\nseal.key is new\nfactor.key is new\nthe ", kBothSign, false},
        {"the directory", [](const Installation& i) { fs::remove_all(i.keys_directory()); },
         "jwks.json was rebuilt from 0 private keys\nseal.key is new\nfactor.key is new\nthe ", kBothSign, false},
        {"nothing", [](const Installation&) {}, "nothing is missing\n", kBothSign, true},
    };
    for (const Row& row : rows) {
        CAPTURE(row.lost);
        const Installation installation;
        unshare(installation);
        std::map<std::string, std::string> before;
        states(installation, &before);
        row.lose(installation);
        const auto found = installation.postern({"doctor"});
        CAPTURE(found.out);
        CHECK((found.exit_code == 0) == (std::string_view(row.lost) == "nothing"));
        if (found.exit_code != 0) CHECK(has(found.out, "postern key repair"));

        const std::string said = installation.must({"key", "repair"});
        CAPTURE(said);
        CHECK(has(said, row.said));
        std::map<std::string, std::string> after;
        CHECK(states(installation, &after) == row.afterwards);
        CHECK((before == after) == row.same_keys);
        CHECK(installation.postern({"doctor"}).exit_code == 0);
        CHECK(installation.must({"key", "repair"}) == "nothing is missing\n");
        CHECK(test::mode_of(installation.keys_directory()) == 0750);
        CHECK(test::mode_of(installation.keys_directory() / "jwks.json") == 0644);
        CHECK(test::mode_of(installation.keys_directory() / "seal.key") == 0640);
        for (const auto& key : installation.private_keys()) CHECK(test::mode_of(key) == 0640);
        installation.must({"key", "rotate"});  // goes on as ever
    }
}

TEST_CASE("key repair: a damaged file is left alone, and made again when it has been moved away, as doctor says") {
    struct Row {
        const char* what;
        std::function<fs::path(const Installation&)> file;
        const char* content;
    };
    const Row rows[] = {
        {"signing key", [](const Installation& i) { return i.private_keys("ES256").front(); }, "garbage"},
        {"signing key, empty", [](const Installation& i) { return i.private_keys("RS256").front(); }, ""},
        {"jwks.json", [](const Installation& i) { return i.keys_directory() / "jwks.json"; }, "{\"keys\":"},
        {"jwks.json, empty", [](const Installation& i) { return i.keys_directory() / "jwks.json"; }, ""},
        {"seal.key", [](const Installation& i) { return i.keys_directory() / "seal.key"; }, "short"},
    };
    for (const Row& row : rows) {
        CAPTURE(row.what);
        const Installation installation;
        unshare(installation);
        const fs::path file = row.file(installation);
        std::ofstream(file) << row.content;
        const auto found = installation.postern({"doctor"});
        CAPTURE(found.out);
        CHECK(found.exit_code == 1);
        CHECK(has(found.out, file.string()));
        CHECK(has(installation.refused({"key", "repair"}), file.string()));
        CHECK(read_file(file) == row.content);
        fs::rename(file, installation.directory() / "moved");
        installation.must({"key", "repair"});
        CHECK(installation.postern({"doctor"}).exit_code == 0);
    }
}

TEST_CASE("key repair: jwks.json is never made of a file that holds a different key than its name says") {
    const Installation installation;
    unshare(installation);
    const auto keys = installation.private_keys();
    fs::copy_file(keys[0], keys[1], fs::copy_options::overwrite_existing);
    fs::remove(installation.keys_directory() / "jwks.json");
    CHECK(has(installation.refused({"key", "repair"}), "holds a different key than its name says"));
    CHECK_FALSE(fs::exists(installation.keys_directory() / "jwks.json"));
}

TEST_CASE("key repair, doctor: a link to a directory that is not there is said to be one, and left alone") {
    const Installation installation;
    unshare(installation);
    fs::rename(installation.keys_directory(), installation.directory() / "unmounted");
    fs::create_symlink(installation.directory() / "volume", installation.keys_directory());
    CHECK(has(installation.refused({"key", "repair"}), "is a symbolic link to"));
    CHECK(fs::is_symlink(installation.keys_directory()));
    CHECK_FALSE(fs::exists(installation.directory() / "volume"));
    CHECK(has(installation.postern({"doctor"}).out, "it is a symbolic link to a missing target"));
    fs::rename(installation.directory() / "unmounted", installation.directory() / "volume");
    CHECK(installation.must({"key", "repair"}) == "nothing is missing\n");
}

TEST_CASE("key repair, init: neither sends to the other where it would be refused") {
    const Installation lost;
    unshare(lost);
    fs::remove_all(lost.keys_directory());
    for (const Words& command : std::vector<Words>{{"init"}, {"key", "rotate"}, {"key", "list"}}) {
        CHECK(has(lost.refused(command), "`postern key repair`"));
    }
    lost.must({"key", "repair"});
    lost.must({"doctor"});

    const Installation untouched;  // keys are there: nothing of them is lost
    unshare(untouched);
    CHECK_FALSE(has(untouched.postern({"init"}).err, "repair"));
}

TEST_CASE("key repair: keys that wait for a time that is far away are the clock's fault, and said to be") {
    const Installation installation;
    unshare(installation);
    for (const auto& key : installation.private_keys()) {
        std::string name = key.filename();
        name.replace(name.find('.') + 1, name.find('.', name.find('.') + 1) - name.find('.') - 1, "4000000000");
        fs::rename(key, installation.keys_directory() / name);
    }
    CHECK(installation.postern({"doctor"}).exit_code == 1);
    const auto result = installation.postern({"key", "repair"});
    CHECK(result.exit_code == 1);
    CHECK(is_one_plain_line(result.err));
    CHECK(has(result.err, "correct the clock, or replace the key with `postern key rotate --force`"));
    CHECK(result.out.empty());
    fs::remove(installation.keys_directory() / "seal.key");
    const auto made = installation.postern({"key", "repair"});
    CHECK(made.exit_code == 1);
    CHECK(made.out == "seal.key is new\n");  // although it then stops
    const auto without_now = [](std::string text) {
        const auto at = text.find("but the clock says ");
        return at == std::string::npos ? text : text.erase(at, text.find("; correct", at) - at);
    };
    CHECK(without_now(made.err) == without_now(result.err));
    installation.must({"key", "rotate", "--force"});
    CHECK(states(installation) == kBothSign);
    installation.must({"doctor"});
}

TEST_CASE("key repair: run as root, the new files have their neighbours' owner, or the one that is named") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: this needs root");
        return;
    }
    const auto owner_of = [](const fs::path& path) {
        struct stat status {};
        REQUIRE(::lstat(path.c_str(), &status) == 0);
        return std::to_string(status.st_uid) + ":" + std::to_string(status.st_gid);
    };
    const auto all_belong_to = [&](const Installation& i, const std::string& owner) {
        CHECK(owner_of(i.keys_directory()) == owner);
        for (const auto& entry : fs::directory_iterator(i.keys_directory())) CHECK(owner_of(entry.path()) == owner);
    };
    const Installation one_user(Installation::Start::configured);
    one_user.must({"init", "--owner", "61000:61000"});
    unshare(one_user);
    fs::remove_all(one_user.keys_directory());
    fs::permissions(one_user.directory(), fs::perms(0755));
    one_user.must({"key", "repair", "--owner", "61000:61000"});
    all_belong_to(one_user, "61000:61000");
    fs::remove(one_user.private_keys("ES256").front());
    fs::remove(one_user.keys_directory() / "seal.key");
    one_user.must({"key", "repair"});
    all_belong_to(one_user, "61000:61000");
    for (const auto& entry : fs::directory_iterator(one_user.keys_directory())) fs::remove(entry.path());
    REQUIRE(::chown(one_user.keys_directory().c_str(), 0, 0) == 0);  // emptied and made again by root
    one_user.must({"key", "repair", "--owner", "61000:61000"});
    all_belong_to(one_user, "61000:61000");
}

TEST_CASE("key repair: run as root, a directory of divided keys is restored only with its owners given") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: this needs root");
        return;
    }
    const Installation installation(Installation::Start::configured);
    installation.must({"init", "--owner", "0:61000", "--signers", "61001", "--sealers", "61002"});
    unshare(installation);
    REQUIRE(::chown(installation.directory().c_str(), 0, 61000) == 0);
    fs::remove_all(installation.keys_directory());
    CHECK(has(installation.refused({"key", "repair"}), "--signers and --sealers"));
    CHECK_FALSE(fs::exists(installation.keys_directory()));

    installation.must({"key", "repair", "--owner", "0:61000", "--signers", "61001", "--sealers", "61002"});
    CHECK(test::mode_of(installation.keys_directory()) == 0751);
    const auto found = installation.must({"doctor"});
    CHECK(has(found, "only 61001 can read the signing keys, and only 61002 seal.key"));

    // All of one kind: nothing is left that they could resemble.
    for (const auto& key : installation.private_keys()) fs::remove(key);
    CHECK(has(installation.postern({"key", "repair"}).err, "only its owner can read"));
    installation.must({"key", "repair", "--signers", "61001", "--sealers", "61002"});
    installation.must({"doctor"});
}

TEST_CASE(
    "key rotate --stolen: one command ends every older key with all that it signed, waiting ones and seal.key too") {
    const Installation installation;
    unshare(installation);
    installation.must({"key", "rotate", "--lead", "0"});
    installation.must({"key", "rotate"});
    REQUIRE(states(installation) == "ES256 active, ES256 next, ES256 retired, RS256 active, RS256 next, RS256 retired");
    const std::string seal = read_file(installation.keys_directory() / "seal.key");
    std::vector<fs::path> before = installation.private_keys();
    CHECK(has(installation.noted({"key", "rotate", "--stolen"}), "restart those that matter"));
    CHECK(states(installation) == kBothSign);
    for (const auto& key : before) CHECK_FALSE(fs::exists(key));
    CHECK(installation.private_keys().size() == 2);
    CHECK(read_file(installation.keys_directory() / "seal.key") != seal);
    installation.must({"doctor"});
    for (const char* other : {"--lead", "--alg"}) {
        CAPTURE(other);
        CHECK(installation.postern({"key", "rotate", "--stolen", other, std::string(other) == "--alg" ? "ES256" : "5"})
                  .exit_code == 2);
    }
}
