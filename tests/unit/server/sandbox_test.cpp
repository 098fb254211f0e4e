// What a process gives up by its configuration and its endpoint's declaration.
#include "server/sandbox.h"

#include <dirent.h>
#include <doctest/doctest.h>
#include <sys/socket.h>

#include <stdexcept>

#include "db/error.h"
#include "db/maintenance.h"
#include "os/file_lock.h"
#include "unit/os/confined.h"
#include "unit/store/fixture.h"

using namespace postern;
using namespace postern::test;
using config::SandboxMode;
using gateway::Transport;

namespace {

/// An installation's directories, and an endpoint that needs nothing beyond them.
struct Fixture {
    TemporaryDirectory directory;
    config::Config config;
    server::Endpoint endpoint;

    Fixture() {
        for (const char* name : {"keys", "place"}) std::filesystem::create_directory(directory / name);
        for (const char* name : {"keys/jwks.json", "place/file", "outside"}) write_file(directory / name, "{}");
        config.database = directory / "postern.db";
        config.keys = directory / "keys";
        config.log_target = directory / "log";
        endpoint.name = "probe";
    }
    void use_saslauthd() {
        config.settings.login.method = login::Method::saslauthd;
        config.settings.login.saslauthd.emplace();
    }
    void enter(Transport transport = Transport::fastcgi) const {
        const util::Log log(util::open_log_sink(directory / "log"), util::LogLevel::debug, endpoint.name);
        server::enter_sandbox(config, endpoint, log, transport);
    }
    std::string log() const { return read_file(directory / "log"); }
    std::string slot() const { return os::Slot::make_files(directory / "postern.db.hash", 1).front(); }
    void use_server(const char* uri) {
        config.database = uri;
        endpoint.store = server::StoreUse::read;
    }
};

/// Nothing can be shown where a part is missing.
bool all_is_here() {
    const server::SandboxOffer offer = server::sandbox_offer();
    if (!offer.missing.empty()) MESSAGE("not shown here: " << offer.missing);
    return offer.missing.empty();
}

bool knows_servers() {
    try {
        return db::sockets_of_uri("postgresql:///op", "probe").has_unix_sockets;
    } catch (const db::StoreError& error) {
        MESSAGE("not shown here: " << error.what());
        return false;
    }
}

int list(const std::string& path) {
    DIR* const directory = ::opendir(path.c_str());
    if (directory == nullptr) return errno;
    ::closedir(directory);
    return 0;
}

int open_socket(int type, int family = AF_UNIX) {
    const int descriptor = ::socket(family, type | SOCK_CLOEXEC, 0);
    const int result = errno_of(descriptor);
    if (descriptor >= 0) ::close(descriptor);
    return result;
}

/// What a process can be allowed beyond answering requests.
struct Rights {
    bool read_keys = true;
    bool list_keys = false;
    bool read_place = false;
    bool write_place = false;
    bool make_directory = false;
    bool lock_slot = false;
    bool read_etc = false;
    bool datagram_socket = false;
    bool stream_socket = false;
    bool tcp_socket = false;
    bool read_outside = false;

    bool operator==(const Rights&) const = default;
};

Rights rights_after(const Fixture& f) {
    const std::string slot = f.slot();
    const std::vector<std::function<int()>> attempts = {
        [&] { return errno_of_open(f.directory / "keys/jwks.json", O_RDONLY); },
        [&] { return list(f.directory / "keys"); },
        [&] { return errno_of_open(f.directory / "place/file", O_RDONLY); },
        [&] { return errno_of_open(f.directory / "place/file", O_WRONLY); },
        [&] { return errno_of(::mkdir((f.directory / "place/new").c_str(), 0700)); },
        [&] { return errno_of_open(slot, O_RDWR); },
        [&] { return errno_of_open("/etc/passwd", O_RDONLY); },
        [] { return open_socket(SOCK_DGRAM); },
        [] { return open_socket(SOCK_STREAM); },
        [] { return open_socket(SOCK_STREAM, AF_INET); },
        [&] { return errno_of_open(f.directory / "outside", O_RDONLY); },
    };
    const Confined confined = run_confined([&] { f.enter(); }, attempts);
    REQUIRE(confined.refusal == "");
    REQUIRE(confined.results.size() == attempts.size());
    const auto may = [&](std::size_t attempt) { return confined.results[attempt] == 0; };
    return {may(0), may(1), may(2), may(3), may(4), may(5), may(6), may(7), may(8), may(9), may(10)};
}

}  // namespace

TEST_CASE("enter_sandbox: what an endpoint declares is left to it, and nothing else [G05]") {
    if (!all_is_here()) return;
    struct Row {
        const char* declares;
        void (*declare)(Fixture&);
        Rights rights;
    };
    // clang-format off
    const Row rows[] = {
        {"nothing", [](Fixture&) {}, {}},
        {"signing keys", [](Fixture& f) { f.endpoint.keys = keys::KeyUse::sign; }, {.list_keys = true}},
        {"signed tokens, which the settings want", [](Fixture& f) { f.endpoint.signs_if = [](const oauth::Settings&) { return true; }; }, {.list_keys = true}},
        {"signed tokens, which the settings do not want", [](Fixture& f) { f.endpoint.signs_if = [](const oauth::Settings&) { return false; }; }, {}},
        {"passwords", [](Fixture& f) { f.endpoint.passwords = true; }, {.lock_slot = true}},
        {"passwords, where the web server authenticates", [](Fixture& f) { f.endpoint.passwords = true; f.config.settings.login.method = login::Method::remote_user; }, {}},
        {"logins, by passwords that are kept here", [](Fixture& f) { f.endpoint.logins = true; }, {}},
        {"logins, by saslauthd", [](Fixture& f) { f.endpoint.logins = f.endpoint.passwords = true; f.use_saslauthd(); }, {.lock_slot = true, .stream_socket = true}},
        {"passwords of another kind, where saslauthd knows those of logins", [](Fixture& f) { f.endpoint.passwords = true; f.use_saslauthd(); }, {}},
        {"nothing, where saslauthd knows the passwords", [](Fixture& f) { f.use_saslauthd(); }, {}},
        {"a directory to read", [](Fixture& f) { f.endpoint.needs.read = {f.directory / "place"}; }, {.read_place = true}},
        {"a directory to write", [](Fixture& f) { f.endpoint.needs.write = {f.directory / "place"}; }, {.read_place = true, .write_place = true, .make_directory = true}},
        {"the network", [](Fixture& f) { f.endpoint.needs.network = true; }, {.read_etc = true, .datagram_socket = true, .stream_socket = true, .tcp_socket = true}},
        {"a log in syslog", [](Fixture& f) { f.config.log_target = "syslog"; }, {.datagram_socket = true}},
    };
    // clang-format on
    for (const SandboxMode mode : {SandboxMode::automatic, SandboxMode::require}) {
        for (const Row& row : rows) {
            CAPTURE(std::string(row.declares));
            Fixture f;
            f.config.sandbox = mode;
            row.declare(f);
            CHECK(rights_after(f) == row.rights);
        }
    }
}

TEST_CASE("enter_sandbox: a database server leaves the kind of socket by which it is reached [G05]") {
    if (!all_is_here() || !knows_servers()) return;
    struct Row {
        const char* declares;
        void (*declare)(Fixture&);
        Rights rights;
    };
    // clang-format off
    const Row rows[] = {
        {"a database server by TCP", [](Fixture& f) { f.use_server("postgresql://192.0.2.1/op"); }, {.tcp_socket = true}},
        {"a database server by a Unix socket", [](Fixture& f) { f.use_server("postgresql:///op?host=/run/postgresql"); }, {.stream_socket = true}},
        {"one by each", [](Fixture& f) { f.use_server("postgresql:///op?host=/run/postgresql,192.0.2.1"); }, {.stream_socket = true, .tcp_socket = true}},
        {"no database, where there is a server", [](Fixture& f) { f.use_server("postgresql://192.0.2.1/op"); f.endpoint.store = server::StoreUse::none; }, {}},
    };
    // clang-format on
    for (const Row& row : rows) {
        CAPTURE(std::string(row.declares));
        Fixture f;
        row.declare(f);
        CHECK(rights_after(f) == row.rights);
    }
}

TEST_CASE("enter_sandbox: switched off, or for a program that needs everything, nothing is given up") {
    const Rights everything{true, true, true, true, true, true, true, true, true, true, true};
    Fixture off;
    off.config.sandbox = SandboxMode::off;
    CHECK(rights_after(off) == everything);
    Fixture declared;
    declared.endpoint.needs.anything = true;
    CHECK(rights_after(declared) == everything);
}

TEST_CASE("enter_sandbox: one line of the log says what was done, and how much it matters [G05]") {
    struct Row {
        const char* when;
        void (*choose)(Fixture&);
        Transport transport;
        const char* level;
        const char* missing;
    };
    const Row rows[] = {
        {"off", [](Fixture& f) { f.config.sandbox = SandboxMode::off; }, Transport::fastcgi, "info",
         "it is switched off"},
        {"off, a process for each request", [](Fixture& f) { f.config.sandbox = SandboxMode::off; }, Transport::cgi,
         "debug", "it is switched off"},
        {"everything is declared", [](Fixture& f) { f.endpoint.needs.anything = true; }, Transport::fastcgi, "warn",
         "this program declares that it needs everything"},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        Fixture f;
        row.choose(f);
        f.enter(row.transport);
        CHECK(mentions(f.log(), std::string("\"level\":\"") + row.level + "\""));
        CHECK(mentions(f.log(), R"("event":"sandbox","files":"open","calls":"open","missing":")" +
                                    std::string(row.missing) + "\"}"));
    }
    if (!all_is_here()) return;
    const Fixture f;
    REQUIRE(run_confined([&] { f.enter(); }, {}).refusal == "");
    CHECK(mentions(f.log(), "\"level\":\"info\""));
    CHECK(mentions(f.log(), "\"files\":\"Landlock "));
    CHECK(mentions(f.log(), R"("calls":"seccomp","missing":""})"));
}

TEST_CASE("enter_sandbox: what is required or declared and is not there is named, and the process does not start") {
    struct Row {
        const char* when;
        void (*choose)(Fixture&);
        const char* named;
        bool needs_kernel;
    };
    const Row rows[] = {
        {"required, but everything is declared",
         [](Fixture& f) {
             f.config.sandbox = SandboxMode::require;
             f.endpoint.needs.anything = true;
         },
         "needs everything", false},
        {"a declared file is not there", [](Fixture& f) { f.endpoint.needs.read = {"/nonexistent/file"}; },
         "/nonexistent/file", true},
        {"the directory of keys is not there", [](Fixture& f) { f.config.keys = "/nonexistent/keys"; },
         "/nonexistent/keys", true},
    };
    for (const Row& row : rows) {
        CAPTURE(std::string(row.when));
        if (row.needs_kernel && !all_is_here()) continue;
        Fixture f;
        row.choose(f);
        CHECK(mentions(run_confined([&] { f.enter(); }, {}).refusal, row.named));
    }
}

TEST_CASE("enter_sandbox: hash slots that cannot be made are storage that fails, so the answer is 503") {
    if (!all_is_here()) return;
    Fixture f;
    f.endpoint.passwords = true;
    f.config.database = "/nonexistent/postern.db";
    const auto is_storage = [&] {
        try {
            f.enter();
            return 0;
        } catch (const db::StoreError&) {
            return 1;
        }
    };
    CHECK(run_confined([] {}, {is_storage}).results == std::vector<int>{1});
}
