// Where each endpoint runs as a user of its own: `init` lays the private keys out for two groups, every later command
// keeps it so, and `doctor` knows who may read what.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "installation.h"
#include "json/reader.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

// Numbers that no account has; nothing is looked up in /etc/passwd.
constexpr unsigned kEverybody = 61000;
constexpr unsigned kSigners = 61001;
constexpr unsigned kSealers = 61002;

/// Only root can give files away.
bool is_root() {
    if (::geteuid() == 0) return true;
    MESSAGE("skipped: this needs root");
    return false;
}

struct Marks {
    unsigned user;
    unsigned group;
    unsigned mode;
    bool operator==(const Marks&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Marks& marks) {
    return out << marks.user << ':' << marks.group << ' ' << std::oct << marks.mode << std::dec;
}
Marks marks_of(const fs::path& path) {
    struct stat status {};
    REQUIRE(::lstat(path.c_str(), &status) == 0);
    return {status.st_uid, status.st_gid, status.st_mode & 07777U};
}
constexpr Marks kSigningKey{0, kSigners, 0640};
constexpr Marks kSealKey{0, kSealers, 0640};
constexpr Marks kPublished{0, kEverybody, 0644};

/// An installation that other users can reach: program and templates lie in it, since the tree that is tested may lie
/// in a directory of root's.
class Divided : public Installation {
public:
    Divided() : Installation(Start::configured) {
        fs::copy("templates", directory() / "templates");
        fs::copy_file(postern_program(), directory() / "postern");
        write_config({{"issuer", "https://id.example.org"},
                      {"database", database_file().string()},
                      {"keys", keys_directory().string()},
                      {"templates", (directory() / "templates").string()},
                      {"oidc", json::Object{{"userClaims", "database"}}}});
        fs::permissions(directory(), fs::perms(0755));
        must({"init", "--owner", "0:61000", "--signers", "61001", "--sealers", "61002"});
    }

    fs::path seal_key() const { return keys_directory() / "seal.key"; }

    /// `postern doctor --json` as that user, with these groups and no other.
    ProcessResult doctor_as(const std::string& user, const std::string& groups) const {
        return run({"/usr/bin/setpriv", "--reuid=" + user, "--regid=" + user, "--groups=" + groups,
                    (directory() / "postern").string(), "doctor", "--json"},
                   {{"POSTERN_CONFIG", config_file().string()}, {"PATH", "/usr/bin:/bin"}});
    }
};

/// The findings of doctor; "": it has no error.
std::string errors_of(const Installation& installation) {
    const std::string findings = installation.findings("key files");
    return has(findings, "error: ") ? findings : "";
}

void give(const fs::path& path, unsigned user, unsigned group, unsigned mode) {
    REQUIRE(::lchown(path.c_str(), user, group) == 0);
    REQUIRE(::chmod(path.c_str(), mode) == 0);
}

}  // namespace

TEST_CASE("init: --signers and --sealers own the private keys, and the other files are readable by all") {
    if (!is_root()) return;
    const Divided installation;
    CHECK(marks_of(installation.keys_directory()) == Marks{0, kEverybody, 0751});
    CHECK(marks_of(installation.database_file().parent_path()) == Marks{0, kEverybody, 02770});
    for (const char* suffix : {"", "-wal", "-shm", ".gate", ".sync"}) {
        CAPTURE(suffix);
        CHECK(marks_of(installation.database_file().string() + suffix) == Marks{0, kEverybody, 0660});
    }
    CHECK(installation.private_keys().size() == 2);
    for (const fs::path& key : installation.private_keys()) CHECK(marks_of(key) == kSigningKey);
    CHECK(marks_of(installation.seal_key()) == kSealKey);
    CHECK(marks_of(installation.keys_directory() / "factor.key") == kSealKey);  // of the same group without --factors
    CHECK(marks_of(installation.keys_directory() / "jwks.json") == kPublished);
}

TEST_CASE("init: --factors owns factor.key, and doctor knows which groups are wrong for it [FKEY-1] [FKEY-3]") {
    if (!is_root()) return;
    const Installation installation(Installation::Start::configured);
    installation.must({"init", "--owner", "0:61000", "--signers", "61001", "--sealers", "61002", "--factors", "61003"});
    const fs::path key = installation.keys_directory() / "factor.key";
    CHECK(marks_of(key) == Marks{0, 61003, 0640});
    CHECK(marks_of(installation.keys_directory() / "seal.key") == kSealKey);
    const auto errors = [&] { return errors_of(installation); };
    CHECK(errors().empty());
    for (const unsigned wrong : {61000U, 61001U}) {
        give(key, 0, wrong, 0640);
        CHECK(has(errors(), "factor.key has the group"));
    }
    give(key, 0, 61003, 0660);
    CHECK(has(errors(), "chmod 0640"));
    give(key, 0, 61003, 0644);
    CHECK(has(errors(), "factor.key is accessible to every user of this machine"));

    fs::remove(key);
    installation.must({"key", "repair"});
    CHECK(marks_of(key) == kSealKey);
}

TEST_CASE("init: a key directory that was made before keeps its owner and mode, and the keys in it are divided") {
    if (!is_root()) return;
    const Installation installation(Installation::Start::configured);
    for (const char* name : {"data", "keys"}) {
        fs::create_directory(installation.directory() / name);
        give(installation.directory() / name, 0, kEverybody, 0751);
    }
    installation.must({"init", "--signers", "61001", "--sealers", "61002"});
    CHECK(marks_of(installation.keys_directory()) == Marks{0, kEverybody, 0751});
    CHECK(marks_of(installation.keys_directory() / "seal.key") == kSealKey);
    CHECK(marks_of(installation.keys_directory() / "jwks.json") == kPublished);
    if (!is_on_postgresql()) CHECK(marks_of(installation.database_file()) == Marks{0, kEverybody, 0660});
}

TEST_CASE("init: one group without the other, the same one twice, or one that is nowhere makes nothing") {
    struct Row {
        Words options;
        int exit_code;
    };
    const Row rows[] = {
        {{"--signers", "61001"}, 2},
        {{"--sealers", "61002"}, 2},
        {{"--signers", "61001", "--sealers", "61001"}, 2},
        {{"--factors", "61003"}, 2},
        {{"--signers", "61001", "--sealers", "61002", "--factors", "61001"}, 2},
        {{"--signers", "61001", "--sealers", "61002", "--factors", "no-such-group-here"}, 1},
        {{"--signers", "no-such-group-here", "--sealers", "61002"}, 1},
        {{"--signers", "61001", "--sealers", "no-such-group-here"}, 1},
        {{"--signers", "", "--sealers", "61002"}, 1},
    };
    const Installation installation(Installation::Start::configured);
    for (const Row& row : rows) {
        const auto result = installation.postern(joined({"init"}, row.options));
        CAPTURE(result.err);
        CHECK(result.exit_code == row.exit_code);
        CHECK_FALSE(fs::exists(installation.keys_directory()));
    }
}

TEST_CASE("key: rotate, rotate --seal and retire keep owner and mode of the files") {
    if (!is_root()) return;
    const Divided installation;
    const auto before = installation.private_keys();
    installation.must({"key", "rotate", "--lead", "0"});
    installation.must({"key", "rotate", "--seal"});
    const auto after = installation.private_keys();
    CHECK(after.size() == 4);
    for (const fs::path& key : after) CHECK(marks_of(key) == kSigningKey);
    const std::string kid = before.front().stem().extension().string().substr(1);
    installation.must({"key", "retire", "--force", "--", kid});
    CHECK(installation.private_keys().size() == 3);
    CHECK(marks_of(installation.seal_key()) == kSealKey);
    CHECK(marks_of(installation.keys_directory() / "jwks.json") == kPublished);
    CHECK(installation.postern({"doctor"}).exit_code == 0);
}

TEST_CASE("key rotate: a key without a predecessor belongs to its owner alone, and the operator is warned") {
    if (!is_root()) return;
    const Divided installation;
    for (const fs::path& key : installation.private_keys()) fs::remove(key);
    CHECK(has(installation.noted({"key", "rotate"}), "only its owner can read"));
    CHECK(installation.private_keys().size() == 2);
    for (const fs::path& key : installation.private_keys()) CHECK(marks_of(key) == Marks{0, kEverybody, 0600});
    CHECK_FALSE(errors_of(installation).empty());

    for (const fs::path& key : installation.private_keys()) give(key, 0, kSigners, 0640);
    fs::remove(installation.seal_key());
    CHECK(has(installation.postern({"key", "rotate", "--seal"}).err, "seal.key"));
    CHECK(marks_of(installation.seal_key()) == Marks{0, kEverybody, 0600});
}

TEST_CASE(
    "key rotate: the key of a directory for its owners alone is closed to their group where groups divide the keys") {
    if (!is_root()) return;
    const Divided installation;
    give(installation.keys_directory(), 0, kEverybody, 0750);
    fs::remove(installation.seal_key());
    installation.postern({"key", "rotate", "--seal"});
    CHECK(marks_of(installation.seal_key()).mode == 0600);
}

TEST_CASE("doctor: root and every user that has the database find divided keys in order") {
    if (!is_root()) return;
    const Divided installation;
    struct Row {
        const char* who;
        std::string groups;
        bool signs;
    };
    const Row rows[] = {
        {"61011", "61000,61001", true},   // token
        {"61012", "61000,61002", false},  // login
        {"61013", "61000", false},        // introspect
        {"61014", "61000,61001,61002", true},
        {"0", "0", true},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.who));
        const auto result = installation.doctor_as(row.who, row.groups);
        CAPTURE(result.out);
        CHECK(result.exit_code == 0);
        CHECK(has(result.out, " signs with ") == row.signs);
        CHECK(has(result.out, "this user may not read the signing keys") != row.signs);
        CHECK(has(result.out, "only 61001 can read the signing keys, and only 61002 seal.key"));
    }
    CHECK(installation.doctor_as("61015", "61015").exit_code == 1);  // nobody's business
}

TEST_CASE("doctor: keys that were made without --signers and --sealers in the units' directory are a warning") {
    if (!is_root()) return;
    const Installation installation(Installation::Start::configured);
    for (const fs::path& made : {installation.directory() / "data", installation.keys_directory()}) {
        fs::create_directory(made);
        REQUIRE(::chown(made.c_str(), 0, kEverybody) == 0);
    }
    const auto keys = installation.keys_directory();
    fs::permissions(keys, fs::perms(0751));
    CHECK_FALSE(has(installation.postern({"doctor"}).out, "can read every key"));  // there are none
    installation.must({"init"});
    const std::string warned = installation.postern({"doctor"}).out;
    CHECK(has(warned, "every member of the group 61000 can read every key"));
    CHECK(has(warned, "cd " + keys.string() + " && chgrp postern-sign *.pem"));

    // Either way out.
    fs::permissions(keys, fs::perms(0750));
    CHECK(has(installation.postern({"doctor"}).out, "private keys are not accessible to other users"));
    fs::permissions(keys, fs::perms(0751));
    for (const auto& entry : fs::directory_iterator(keys)) {
        const std::string kind = entry.path().extension();
        if (kind != ".json") give(entry.path(), 0, kind == ".pem" ? kSigners : kSealers, 0640);
    }
    CHECK(has(installation.postern({"doctor"}).out, "only 61001 can read the signing keys"));
}

TEST_CASE("doctor: a private key that more can read than its group of readers is an error with its fix") {
    if (!is_root()) return;
    struct Row {
        const char* when;
        std::function<void(const Divided&)> damage;
        const char* fix;
    };
    const auto newest = [](const Divided& i) { return i.private_keys().back(); };
    const Row rows[] = {
        {"a signing key has everybody's group", [&](const Divided& i) { give(newest(i), 0, kEverybody, 0640); },
         "chgrp 61001 "},
        {"all signing keys have everybody's group",
         [](const Divided& i) {
             for (const fs::path& key : i.private_keys()) give(key, 0, kEverybody, 0640);
         },
         "a group that only the users of token are in"},
        {"a signing key has the sealers' group", [&](const Divided& i) { give(newest(i), 0, kSealers, 0640); },
         "chgrp 61001 "},
        {"seal.key has everybody's group", [](const Divided& i) { give(i.seal_key(), 0, kEverybody, 0640); },
         "the users of authorize, login, scopes, logout, account and recover"},
        {"a signing key belongs to one of the roles", [&](const Divided& i) { give(newest(i), 61012, kSigners, 0640); },
         "chown --reference="},
        {"seal.key belongs to one of the roles", [](const Divided& i) { give(i.seal_key(), 61013, kSealers, 0640); },
         "chown --reference="},
        {"a signing key can be written by its readers", [&](const Divided& i) { give(newest(i), 0, kSigners, 0660); },
         "chmod 0640 "},
        {"a signing key cannot be read by its readers", [&](const Divided& i) { give(newest(i), 0, kSigners, 0600); },
         "chmod 0640 "},
        {"seal.key is open to all", [](const Divided& i) { give(i.seal_key(), 0, kSealers, 0644); }, "chmod o-rwx "},
    };
    const Divided installation;
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        row.damage(installation);
        const auto found = errors_of(installation);
        CHECK(has(found, row.fix));
        CHECK(installation.postern({"doctor"}).exit_code == 1);

        for (const fs::path& key : installation.private_keys()) give(key, 0, kSigners, 0640);
        give(installation.seal_key(), 0, kSealers, 0640);
        CHECK(installation.postern({"doctor"}).exit_code == 0);
    }
}
