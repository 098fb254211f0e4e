// What a process may still do with files and connections once Landlock's rules are obeyed.
#include "os/landlock.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <csignal>
#include <cstring>

#include "support/files.h"
#include "unit/os/confined.h"

using namespace postern;
using namespace postern::test;
using os::Connections;
using os::FileUse;

namespace {

/// The version that the kernel offers; 0 after a message why these tests show nothing here.
int landlock_here() {
    std::string reason;
    const int version = os::landlock_version(reason);
    if (version == 0) MESSAGE("not shown here: " << reason);
    return version;
}

/// A directory with one file and one directory in it.
struct Place {
    TemporaryDirectory directory;
    std::string file = directory / "file";
    Place() {
        write_file(file, "text");
        write_file(directory / "spare", "text");
        std::filesystem::create_directory(directory / "inner");
    }
};

int errno_of_connect(int type, const void* address, std::size_t size) {
    const int descriptor = ::socket(static_cast<const sockaddr*>(address)->sa_family, type | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return errno;
    const int result =
        errno_of(::connect(descriptor, static_cast<const sockaddr*>(address), static_cast<socklen_t>(size)));
    ::close(descriptor);
    return result;
}

sockaddr_in loopback(in_port_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// A port that only a privileged process could listen on, and none does (RFC 1078, tcpmux).
constexpr std::uint16_t kPort = 1;

int connect_tcp() {
    const sockaddr_in address = loopback(kPort);
    return errno_of_connect(SOCK_STREAM, &address, sizeof address);
}

int bind_tcp() {
    const sockaddr_in address = loopback(0);
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int result = errno_of(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    ::close(descriptor);
    return result;
}

/// An abstract Unix socket of this process, which listens while it lives.
class AbstractSocket {
public:
    AbstractSocket() : descriptor_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        address_.sun_family = AF_UNIX;
        const std::string name = "postern-landlock-test." + std::to_string(::getpid());
        std::memcpy(address_.sun_path + 1, name.data(), name.size());
        REQUIRE(::bind(descriptor_, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) == 0);
        REQUIRE(::listen(descriptor_, 4) == 0);
    }
    AbstractSocket(const AbstractSocket&) = delete;
    AbstractSocket& operator=(const AbstractSocket&) = delete;
    ~AbstractSocket() { ::close(descriptor_); }
    int connect() const { return errno_of_connect(SOCK_STREAM, &address_, sizeof address_); }

private:
    int descriptor_;
    sockaddr_un address_{};
};

struct FileRow {
    const char* when;
    int (*attempt)(const std::string& directory);
    int without;  ///< expected errno: no rule at all
    int read, browse, rewrite, anything;
    int since = 1;  ///< the version of Landlock that can forbid it; under an older one it is allowed
};
// clang-format off
const FileRow kFileRows[] = {
    {"open a file for reading", [](const std::string& d) { return errno_of_open(d + "/file", O_RDONLY); }, EACCES, 0, 0, 0, 0},
    {"open a file for writing", [](const std::string& d) { return errno_of_open(d + "/file", O_WRONLY); }, EACCES, EACCES, EACCES, 0, 0},
    {"open a file to replace its content", [](const std::string& d) { return errno_of_open(d + "/file", O_WRONLY | O_TRUNC); }, EACCES, EACCES, EACCES, 0, 0},
    {"truncate a file", [](const std::string& d) { return errno_of(::truncate((d + "/file").c_str(), 1)); }, EACCES, EACCES, EACCES, 0, 0, 3},
    {"list a directory", [](const std::string& d) { return errno_of_open(d, O_RDONLY | O_DIRECTORY); }, EACCES, EACCES, 0, EACCES, 0},
    {"ask for a file's size", [](const std::string& d) { struct stat status {}; return errno_of(::stat((d + "/file").c_str(), &status)); }, 0, 0, 0, 0, 0},
    {"make a file", [](const std::string& d) { return errno_of_open(d + "/new", O_WRONLY | O_CREAT | O_EXCL); }, EACCES, EACCES, EACCES, EACCES, 0},
    {"make a directory", [](const std::string& d) { return errno_of(::mkdir((d + "/made").c_str(), 0700)); }, EACCES, EACCES, EACCES, EACCES, 0},
    {"make a symbolic link", [](const std::string& d) { return errno_of(::symlink("file", (d + "/link").c_str())); }, EACCES, EACCES, EACCES, EACCES, EACCES},
    {"make a FIFO", [](const std::string& d) { return errno_of(::mkfifo((d + "/fifo").c_str(), 0600)); }, EACCES, EACCES, EACCES, EACCES, EACCES},
    {"run a program", [](const std::string& d) { char* none[] = {nullptr}; return errno_of(::execve((d + "/file").c_str(), none, none)); }, EACCES, EACCES, EACCES, EACCES, EACCES},
    {"rename a file", [](const std::string& d) { return errno_of(::rename((d + "/file").c_str(), (d + "/moved").c_str())); }, EACCES, EACCES, EACCES, EACCES, 0},
    {"remove a directory", [](const std::string& d) { return errno_of(::rmdir((d + "/inner").c_str())); }, EACCES, EACCES, EACCES, EACCES, 0},
    {"remove a file", [](const std::string& d) { return errno_of(::unlink((d + "/spare").c_str())); }, EACCES, EACCES, EACCES, EACCES, 0},
};
// clang-format on

/// Makes every attempt under one rule (nullptr: none) and compares it with the column `expected`.
void check_files(const FileUse* use, int FileRow::*expected, int version) {
    const Place place;
    std::filesystem::permissions(place.file, std::filesystem::perms::owner_all);
    std::vector<std::function<int()>> attempts;
    for (const FileRow& row : kFileRows) attempts.emplace_back([&] { return row.attempt(place.directory.path()); });
    std::vector<os::FileRule> rules;
    if (use) rules.push_back({place.directory.path(), *use});
    const Confined confined = run_confined([&] { os::restrict_files(rules); }, attempts);
    REQUIRE(confined.refusal == "");
    REQUIRE(confined.results.size() == std::size(kFileRows));
    for (std::size_t i = 0; i < std::size(kFileRows); ++i) {
        CAPTURE(std::string(kFileRows[i].when));
        if (version >= kFileRows[i].since) CHECK(confined.results[i] == kFileRows[i].*expected);
    }
}

}  // namespace

TEST_CASE("restrict_files: each use allows what it names and nothing else [landlock(7), G05]") {
    const int version = landlock_here();
    if (version == 0) return;
    const struct {
        const char* name;
        FileUse use;
        int FileRow::*expected;
    } columns[] = {
        {"read", FileUse::read, &FileRow::read},
        {"browse", FileUse::browse, &FileRow::browse},
        {"rewrite", FileUse::rewrite, &FileRow::rewrite},
        {"anything", FileUse::anything, &FileRow::anything},
    };
    for (const auto& column : columns) {
        CAPTURE(std::string(column.name));
        check_files(&column.use, column.expected, version);
    }
}

TEST_CASE("restrict_files: without a rule everything that Landlock can forbid is forbidden [landlock(7), G05]") {
    if (const int version = landlock_here()) check_files(nullptr, &FileRow::without, version);
}

TEST_CASE("restrict_files: a rule for one file opens no other; several rules add up [landlock(7)]") {
    if (landlock_here() == 0) return;
    const Place place;
    const std::string other = place.directory / "other";
    write_file(other, "text");
    const auto confined = run_confined(
        [&] {
            os::restrict_files({{place.file, FileUse::rewrite}, {other, FileUse::read}});
        },
        {[&] { return errno_of_open(place.file, O_RDWR); }, [&] { return errno_of_open(other, O_RDONLY); },
         [&] { return errno_of_open(other, O_WRONLY); },
         [&] { return errno_of_open(place.directory / "new", O_WRONLY | O_CREAT); }});
    CHECK(confined.refusal == "");
    CHECK(confined.results == std::vector<int>{0, 0, EACCES, EACCES});
}

TEST_CASE("restrict_files: a descriptor that is open keeps its rights [landlock(7)]") {
    if (landlock_here() == 0) return;
    const Place place;
    const int open = ::open(place.file.c_str(), O_RDWR | O_CLOEXEC);
    const auto confined =
        run_confined([] { os::restrict_files({}); }, {[&] { return errno_of_open(place.file, O_RDONLY); },
                                                      [&] { return errno_of(::write(open, "more", 4)); },
                                                      [&] { return errno_of(::ftruncate(open, 1)); }});
    ::close(open);
    CHECK(confined.refusal == "");
    CHECK(confined.results == std::vector<int>{EACCES, 0, 0});
}

TEST_CASE("restrict_files: a second call takes more away and gives nothing back [landlock(7)]") {
    if (landlock_here() == 0) return;
    const Place place;
    const auto confined = run_confined(
        [&] {
            os::restrict_files({{place.directory.path(), FileUse::read}});
            os::restrict_files({{place.directory.path(), FileUse::anything}});
        },
        {[&] { return errno_of_open(place.file, O_RDONLY); }, [&] { return errno_of_open(place.file, O_WRONLY); }});
    CHECK(confined.refusal == "");
    CHECK(confined.results == std::vector<int>{0, EACCES});
}

TEST_CASE(
    "restrict_files: connections begin only where the network is allowed; nothing is offered [landlock(7), G05]") {
    const int version = landlock_here();
    const AbstractSocket abstract;
    const struct {
        const char* when;
        int since;
        std::function<int()> attempt;
        int none, of_another_port, of_this_port, to_abstract, anywhere;  // expected errno
    } rows[] = {
        {"bind a TCP port", 4, bind_tcp, EACCES, EACCES, EACCES, EACCES, EACCES},
        {"connect by TCP", 4, connect_tcp, EACCES, EACCES, ECONNREFUSED, EACCES, ECONNREFUSED},
        {"connect to an abstract Unix socket", 6, [&] { return abstract.connect(); }, EPERM, EPERM, EPERM, 0, 0},
        {"signal a process outside", 6, [] { return errno_of(::kill(::getppid(), 0)); }, EPERM, EPERM, EPERM, EPERM,
         EPERM},
    };
    CHECK(bind_tcp() == 0);
    CHECK(connect_tcp() == ECONNREFUSED);
    CHECK(abstract.connect() == 0);
    for (const auto& row : rows) {
        CAPTURE(std::string(row.when));
        if (version < row.since) {
            MESSAGE("not shown here: Landlock " << version << " cannot forbid to " << row.when);
            continue;
        }
        const auto result = [&](const Connections& connections) {
            return run_confined([&] { os::restrict_files({}, connections); }, {row.attempt}).results;
        };
        CHECK(result({}) == std::vector<int>{row.none});
        CHECK(result({.ports = {kPort + 1}}) == std::vector<int>{row.of_another_port});
        CHECK(result({.ports = {kPort + 1, kPort}}) == std::vector<int>{row.of_this_port});
        CHECK(result({.abstract_sockets = true}) == std::vector<int>{row.to_abstract});
        CHECK(result({.anywhere = true}) == std::vector<int>{row.anywhere});
    }
}

TEST_CASE("restrict_files: a device may be read, but not controlled [landlock(7), G05]") {
    const int version = landlock_here();
    if (version < 5) return;
    const auto control = [] {
        const int device = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (device < 0) return errno;
        int waiting = 0;
        const int result = errno_of(::ioctl(device, TIOCINQ, &waiting));
        ::close(device);
        return result;
    };
    CHECK(control() == ENOTTY);
    const auto confined = run_confined(
        [] {
            os::restrict_files({{"/dev/null", FileUse::read}});
        },
        {[] { return errno_of_open("/dev/null", O_RDONLY); }, control});
    CHECK(confined.refusal == "");
    CHECK(confined.results == std::vector<int>{0, EACCES});
}

TEST_CASE("restrict_files: a path that is not there is named, and nothing is restricted [G05]") {
    if (landlock_here() == 0) return;
    const auto confined = run_confined([] { os::restrict_files({{"/nonexistent/keys", FileUse::read}}); }, {});
    CHECK(mentions(confined.refusal, "/nonexistent/keys"));
}
