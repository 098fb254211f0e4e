// `postern doctor`: each state in which a database, its disk or its clock may be found at night is named, with its fix,
// and so are the faults of saslauthd and of fetching over HTTPS.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>

#include "fetch/messages.h"
#include "installation.h"
#include "json/reader.h"
#include "os/landlock.h"
#include "preconditions.h"
#include "support/deployment.h"
#include "support/fake_saslauthd.h"
#include "support/preload.h"

using namespace postern;
using namespace postern::test;
namespace fs = std::filesystem;

namespace {

struct CloseConnection {
    void operator()(sqlite3* connection) const { sqlite3_close(connection); }
};
/// As somebody has it who opens the database with a shell.
class Shell {
public:
    explicit Shell(const Installation& installation) {
        sqlite3* opened = nullptr;
        REQUIRE(sqlite3_open(installation.database_file().c_str(), &opened) == SQLITE_OK);
        connection_.reset(opened);
        sqlite3_db_config(opened, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    }
    void type(const char* sql) {
        REQUIRE(sqlite3_exec(connection_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    }

private:
    std::unique_ptr<sqlite3, CloseConnection> connection_;
};

/// Keeps a state up while doctor looks.
using Held = std::shared_ptr<void>;

Held hold_gate(const Installation& installation) {
    const int gate = ::open((installation.database_file().string() + ".gate").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(gate >= 0);
    REQUIRE(::flock(gate, LOCK_EX) == 0);
    return {nullptr, [gate](void*) { ::close(gate); }};
}

Held hold_by_shell(const Installation& installation, const char* sql) {
    auto shell = std::make_shared<Shell>(installation);
    shell->type(sql);
    return shell;
}

void write_at(const fs::path& file, std::streamoff offset, const std::string& bytes) {
    std::fstream open(file, std::ios::in | std::ios::out | std::ios::binary);
    open.seekp(offset);
    open << bytes;
    REQUIRE(open.good());
}

struct State {
    std::string what;
    std::function<Held(const Installation&)> bring_about;
    const char* check;
    const char* state;
    const char* said;
    const char* fix;
    std::map<std::string, std::string> disk = {};
    bool obeys_modes = false;
};

json::Array diagnose(const Installation& installation, const State& row) {
    Words argv = {postern_program(), "doctor", "--json"};
    if (row.obeys_modes && ::geteuid() == 0)
        argv.insert(argv.begin(), {"/usr/bin/setpriv", "--bounding-set=-dac_override,-dac_read_search"});
    std::map<std::string, std::string> environment = row.disk;
    environment["PATH"] = "/usr/bin:/bin";
    environment["POSTERN_CONFIG"] = installation.config_file().string();
    if (!row.disk.empty()) preload(environment, build_directory() / "tests" / "fake_statvfs_preload.so");
    const auto result = run(argv, environment);
    CAPTURE(result.err);
    const auto findings = json::parse(result.out);
    REQUIRE(findings);
    const bool error = has(result.out, "\"error\"");
    CHECK(result.exit_code == (error ? 1 : 0));
    return *findings->if_array();
}

void check_named(const Installation& installation, const State& row) {
    CAPTURE(row.what);
    std::string seen;
    bool found = false;
    for (const json::Value& finding : diagnose(installation, row)) {
        const std::string line = text_of(finding, "state") + " " + text_of(finding, "check") + ": " +
                                 text_of(finding, "detail") + " | " + text_of(finding, "fix");
        seen += line + "\n";
        found = found || (text_of(finding, "check") == row.check && text_of(finding, "state") == row.state &&
                          has(text_of(finding, "detail"), row.said) && has(line, row.fix));
    }
    CAPTURE(seen);
    CHECK(found);
}

/// A change that needs not be held while doctor looks.
std::function<Held(const Installation&)> once(void (*change)(const Installation&)) {
    return [change](const Installation& installation) -> Held {
        change(installation);
        return nullptr;
    };
}

/// A mode, which does not stop root.
State unwritable(const char* what, void (*change)(const Installation&), const char* said, const char* fix) {
    return {what, once(change), "database files", "error", said, fix, {}, true};
}

/// A state of the disk, which a variable of the preloaded library feigns.
State on_disk(const char* what, const char* variable, const char* value, const char* check, const char* state,
              const char* said, const char* fix) {
    return {what, once([](const Installation&) {}), check, state, said, fix, {{variable, value}}};
}

}  // namespace

TEST_CASE(
    "doctor: each state of database, disk and clock that stops a server is named with its fix [S03, S06, S08-S12]") {
    const State rows[] = {
        unwritable(
            "a file that can only be read",
            [](const Installation& i) { fs::permissions(i.database_file(), fs::perms(0440)); },
            "cannot be written by this user", "chmod ug+rw "),
        unwritable(
            "a log that can only be read",
            [](const Installation& i) {
                put_user(i, "ada");  // an empty one is given its mode back by SQLite
                fs::permissions(i.database_file().string() + "-wal", fs::perms(0440));
            },
            "-wal cannot be written by this user", "chmod ug+rw "),
        unwritable(
            "a directory that can only be read",
            [](const Installation& i) { fs::permissions(i.database_file().parent_path(), fs::perms(0550)); },
            "cannot be written by this user", "postern init --owner"),
        {"the gate is held", hold_gate, "database", "error", "is locked: no other process could write", "`fuser -v "},
        {"a shell is in a transaction",
         [](const Installation& i) { return hold_by_shell(i, "BEGIN IMMEDIATE; DELETE FROM login_attempts"); },
         "database", "error", "is locked: no other process could write", "sqlite3"},
        {"a shell has the database for itself",
         [](const Installation& i) {
             return hold_by_shell(
                 i, "PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; DELETE FROM login_attempts; COMMIT");
         },
         "database", "error", "is locked, even for reading", "`fuser -v "},
        {"a page is garbage",
         once([](const Installation& i) { write_at(i.database_file(), 4096 * 4, std::string(4096 * 8, '\xa5')); }),
         "database", "error", "is damaged", "restore the last good backup"},
        {"the first page is garbage",
         once([](const Installation& i) { write_at(i.database_file(), 0, std::string(4096, '\xa5')); }), "database",
         "error", "is not an SQLite database", "restore the last good backup"},
        {"the file is empty", once([](const Installation& i) { fs::resize_file(i.database_file(), 0); }), "database",
         "error", "is not a database of Postern", "name another file"},
        {"another program's database", once([](const Installation& i) { Shell(i).type("PRAGMA application_id = 7"); }),
         "database", "error", "is not a database of Postern", "name another file"},
        {"a version of the future", once([](const Installation& i) { Shell(i).type("PRAGMA user_version = 999"); }),
         "database", "error", "has schema version 999", "run the release of Postern that it belongs to"},
        {"a version of the past", once([](const Installation& i) { Shell(i).type("PRAGMA user_version = 1"); }),
         "database", "error", "has schema version 1,", "`postern migrate`"},
        {"not in WAL mode", once([](const Installation& i) { Shell(i).type("PRAGMA journal_mode = DELETE"); }),
         "database", "error", "is not in WAL mode", "PRAGMA journal_mode = WAL"},
        {"the log has grown",
         once([](const Installation& i) { fs::resize_file(i.database_file().string() + "-wal", 80 << 20); }),
         "database files", "warning", "-wal has 80 MB", "restart the serving processes"},
        {"the shared memory is gone",
         once([](const Installation& i) { fs::remove(i.database_file().string() + "-shm"); }), "database files",
         "warning", "-shm is missing", "`postern user list`"},
        {"the gate is gone", once([](const Installation& i) { fs::remove(i.database_file().string() + ".gate"); }),
         "database files", "error", ".gate is missing", "stop all serving processes"},
        on_disk("the disk is nearly full", "POSTERN_TEST_FREE_BYTES", "33554432", "disk", "warning",
                "is nearly full: 32 MB left", "free space on that disk"),
        on_disk("the disk is full", "POSTERN_TEST_FREE_BYTES", "1048576", "disk", "error",
                "is full: ", "free space on that disk"),
        on_disk("there is room, but for no more files", "POSTERN_TEST_FREE_FILES", "3", "disk", "error",
                "no more files can be created", "free space on that disk"),
        on_disk("a network file system", "POSTERN_TEST_FILE_SYSTEM", "6969", "file system", "error", "is on NFS",
                "move the database to a local disk"),
        on_disk("a network file system, asked by the store", "POSTERN_TEST_FILE_SYSTEM", "01021997", "database",
                "error", "is on a network file system (9P)", "move it to a local disk"),
        {"the marks of used assertions on a network file system",
         once([](const Installation& i) {
             i.reconfigure("clientAssertions", true);
             fs::create_directory(i.database_file().parent_path() / "replays");
         }),
         "file system",
         "error",
         "replays is on a network file system (NFS), where two processes could take the same",
         "let it be on a local disk",
         {{"POSTERN_TEST_FILE_SYSTEM", "6969"}}},
        {"a record of the future", once([](const Installation& i) {
             put_user(i, "ada");
             put_client(i, "wiki");
             put_grant(i, {.id = "later", .ago = util::Seconds{-100000}});
         }),
         "clock", "error", "but the database has a record from", "`postern token revoke --all`"},
    };
    for (const State& row : rows) {
        const Installation installation;
        const Held held = row.bring_about(installation);
        check_named(installation, row);
    }
}

TEST_CASE(
    "doctor: it does not make the write lock's file, which would hide that processes hold another one; commands make it") {
    const Installation installation;
    const fs::path gate = installation.database_file().string() + ".gate";
    for (const Words& command : std::vector<Words>{
             {"user", "list"}, {"stats"}, {"token", "list"}, {"user", "add", "ada", "--password-stdin"}}) {
        fs::remove(gate);
        CHECK(installation.postern({"doctor"}).exit_code == 1);
        CHECK_FALSE(fs::exists(gate));
        CAPTURE(command.front());
        installation.must(command, "correct horse battery staple\n");
        CHECK(fs::exists(gate));
        CHECK(test::mode_of(gate) == 0660);
        installation.must({"doctor"});
    }
}

TEST_CASE(
    "doctor: divided keys below a directory that every endpoint may write are a warning where no unit protects them") {
    if (::geteuid() != 0) {
        MESSAGE("skipped: this needs root");
        return;
    }
    const Installation installation(Installation::Start::configured);
    installation.must({"init", "--owner", "0:61000", "--signers", "61001", "--sealers", "61002"});
    const auto warned = [&] { return has(installation.must({"doctor"}), "no systemd unit here prevents it"); };
    CHECK_FALSE(warned());  // around it is root's own directory
    fs::permissions(installation.directory(), fs::perms(0770));
    CHECK(warned() != fs::exists("/run/systemd/system"));
}

namespace {

std::string said_of(const json::Object& outbound) {
    const Installation installation;
    installation.reconfigure("outbound", outbound);
    return installation.findings("outbound");
}

}  // namespace

TEST_CASE("doctor: what \"outbound\" needs and does not find is named with its fix [FETCH-2]") {
    const Installation place(Installation::Start::configured);
    const fs::path program = place.directory() / "program";
    const fs::path authorities = place.directory() / "ca.pem";
    const json::Object good{{"enabled", true}, {"program", program.string()}, {"ca", authorities.string()}};
    // Doctor looks for this in the program, which is not there without libcurl, and starts nothing.
    const std::string marker = std::string(fetch::kMarkerBegins).append(fetch::kMarkerEnds);
    write_file(program, "#!/bin/sh\ntouch " + (place.directory() / "started").string() + "\n# " + marker + "\n");
    write_file(authorities, "");
    fs::permissions(program, fs::perms(0755));
    std::string reason;
    if (os::landlock_version(reason) >= 4)
        CHECK(said_of(good) == "ok: " + program.string() + " fetches documents of clients | \n");
    else
        CHECK(said_of(good).starts_with("warning: this kernel cannot restrict the ports"));

    CHECK(said_of({{"enabled", false}, {"program", "/nowhere/fetch"}}) == "");
    CHECK(said_of({}) == "");

    CHECK_FALSE(fs::exists(place.directory() / "started"));
    const fs::path own = build_directory() / "libexec/fetch/fetch";
    if (fs::exists(own)) {
        json::Object real = good;
        real.set("program", own.string());
        CHECK_FALSE(has(said_of(real), "is not the program"));
    }
    for (const std::string& other : {std::string("/bin/sh"), (build_directory() / "bin/postern").string()}) {
        CAPTURE(other);
        json::Object wrong = good;
        wrong.set("program", other);
        CHECK(said_of(wrong).starts_with("error: " + other + " is not the program that fetches"));
    }

    fs::permissions(program, fs::perms(0644));
    CHECK(said_of(good).starts_with("error: " + program.string() + ", which fetches, cannot be executed | chmod 755"));
    fs::remove(program);
    CHECK(said_of(good).starts_with("error: " + program.string() +
                                    ", which fetches, is not there | install the package"));
    write_file(program, marker);
    fs::permissions(program, fs::perms(0755));
    fs::remove(authorities);
    CHECK(said_of(good).starts_with("error: " + authorities.string() + ", the certificates of \"outbound.ca\""));
}

TEST_CASE("doctor: saslauthd is there, of whom, and refuses a made-up name [SOURCE-5]") {
    const Installation installation;
    CHECK(installation.findings("saslauthd") == "");

    const fs::path place = installation.directory() / "sasl";
    fs::create_directory(place);
    const fs::path socket = place / "mux";
    installation.reconfigure(
        "login", json::Object{{"method", "saslauthd"}, {"saslauthd", json::Object{{"socket", socket.string()}}}});
    CHECK(installation.findings("saslauthd")
              .starts_with("error: " + socket.string() + ": No such file or directory | start saslauthd"));
    write_file(socket, "");
    CHECK(installation.findings("saslauthd").starts_with("error: " + socket.string() + " is not a socket | "));
    fs::remove(socket);

    FakeSaslauthd fake(socket.string(), [](const auto&) { return FakeSaslauthd::says("NO"); });
    const std::string good = installation.findings("saslauthd");
    CHECK(good.starts_with("ok: " + socket.string() + ", of "));
    CHECK(has(good, "refuses a made-up name"));
    const auto first = fake.asked();
    REQUIRE(first.size() == 1);
    installation.findings("saslauthd");
    CHECK(first.front().username != fake.asked().front().username);
    CHECK(first.front().username.size() >= 16);

    fake.answer({});
    CHECK(installation.findings("saslauthd")
              .starts_with("error: a made-up name with a made-up password is accepted by saslauthd"));
    fake.answer([](const auto&) { return FakeSaslauthd::Reply{}; });
    CHECK(installation.findings("saslauthd")
              .starts_with("error: saslauthd at " + socket.string() + " closed the connection"));
    fake.answer([](const auto&) { return FakeSaslauthd::says("NO"); });
    fs::permissions(place, fs::perms::all);
    CHECK(installation.findings("saslauthd")
              .starts_with("error: " + place.string() + " (mode 0777): every user of this machine"));
}
