// Which system calls are left once they are filtered, and with which arguments.
#include "os/seccomp.h"

#include <asm/sockios.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <thread>

#include "support/files.h"
#include "unit/os/confined.h"
#include "util/sanitized.h"

using namespace postern;
using namespace postern::test;

namespace {

bool filters_here() {
    std::string reason;
    const bool can_filter = os::can_filter_calls(reason);
    if (util::kSanitized) reason = "a sanitizer's runtime makes calls that the filter refuses";
    const bool filters = can_filter && !util::kSanitized;
    if (!filters) MESSAGE("not shown here: " << reason);
    return filters;
}

/// The directory that the attempts work in.
const std::string* place = nullptr;
std::string in_place(const char* name) { return *place + "/" + name; }

int open_socket(int family, int type, int protocol = 0) {
    const int descriptor = ::socket(family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    const int result = errno_of(descriptor);
    if (descriptor >= 0) ::close(descriptor);
    return result;
}

int open_pair(int type) {
    int ends[2];
    const int result = errno_of(::socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, ends));
    if (result != 0) return result;
    ::close(ends[0]);
    ::close(ends[1]);
    return 0;
}

// Other kinds of streams; headers of older systems do not name them.
constexpr int kMptcp = 262;
constexpr int kSmc = 256;

int set_option(int level, int option) {
    const int on = 1;
    return errno_of(::setsockopt(-1, level, option, &on, sizeof on));
}

int map_memory(int first, int then) {
    void* const mapped = ::mmap(nullptr, 4096, first, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return errno;
    const int result = errno_of(::mprotect(mapped, 4096, then));
    ::munmap(mapped, 4096);
    return result;
}

int fork_process() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    return child < 0 ? errno : exit_code_of(child);
}

int start_thread() {
    try {
        std::thread([] {}).join();
        return 0;
    } catch (const std::system_error& error) {
        return error.code().value();
    }
}

int execute() {
    char* none[] = {nullptr};
    return errno_of(::execve("/nonexistent", none, none));
}

int sleep_a_moment() {
    const timespec moment{0, 1};
    return errno_of(::clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, nullptr));
}

int own_by_thread() {
    const f_owner_ex owner{F_OWNER_PID, ::getpid()};
    return errno_of(::fcntl(0, F_SETOWN_EX, &owner));
}

int own_by_ioctl() {
    int owner = ::getpid();
    return errno_of(::ioctl(0, FIOSETOWN, &owner));
}

constexpr int kData = PROT_READ | PROT_WRITE;
constexpr int kNotAsked = -1;

struct Row {
    const char* when;
    int (*attempt)();
    int unfiltered;  ///< expected errno without a filter; kNotAsked where a container may forbid it
    int serve;       ///< an endpoint without needs of its own
    int syslog, files, network, fetching, tcp, unix_stream;
};
// clang-format off
const Row kRows[] = {
    // waiting, reading, writing, opening
    {"open a file", [] { return errno_of_open(in_place("file"), O_RDWR); }, 0, 0, 0, 0, 0, 0, 0, 0},
    {"make a file", [] { return errno_of_open(in_place("new"), O_WRONLY | O_CREAT); }, 0, 0, 0, 0, 0, 0, 0, 0},
    {"sleep", sleep_a_moment, 0, 0, 0, 0, 0, 0, 0, 0},
    {"random bytes", [] { char bytes[8]; return errno_of(::syscall(SYS_getrandom, bytes, sizeof bytes, 0)); }, 0, 0, 0, 0, 0, 0, 0, 0},
    {"own process id", [] { return errno_of(::syscall(SYS_getpid)); }, 0, 0, 0, 0, 0, 0, 0, 0},
    {"map memory for data", [] { return map_memory(PROT_READ, kData); }, 0, 0, 0, 0, 0, 0, 0, 0},
    {"signal itself, as abort(3) does", [] { return errno_of(::syscall(SYS_tgkill, ::getpid(), ::gettid(), 0)); }, 0, 0, 0, 0, 0, 0, 0, 0},
    {"rseq, which a thread calls as it begins", [] { return errno_of(::syscall(SYS_rseq, nullptr, 0, 0, 0)); }, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL},
    {"set_robust_list, likewise", [] { return errno_of(::syscall(SYS_set_robust_list, nullptr, 0)); }, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL},
    // files: making, renaming, removing
    {"change a mode", [] { return errno_of(::chmod(in_place("file").c_str(), 0600)); }, 0, EPERM, EPERM, 0, EPERM, EPERM, EPERM, EPERM},
    {"make a hard link", [] { return errno_of(::link(in_place("file").c_str(), in_place("link").c_str())); }, 0, EPERM, EPERM, 0, EPERM, EPERM, EPERM, EPERM},
    {"rename", [] { return errno_of(::rename(in_place("file").c_str(), in_place("moved").c_str())); }, 0, EPERM, EPERM, 0, EPERM, EPERM, EPERM, EPERM},
    {"truncate by path", [] { return errno_of(::truncate(in_place("new").c_str(), 1)); }, 0, EPERM, EPERM, 0, EPERM, EPERM, EPERM, EPERM},
    {"remove a file", [] { return errno_of(::unlink(in_place("new").c_str())); }, 0, EPERM, EPERM, 0, EPERM, EPERM, EPERM, EPERM},
    {"make a directory", [] { return errno_of(::mkdir(in_place("made").c_str(), 0700)); }, 0, EPERM, EPERM, 0, EPERM, EPERM, EPERM, EPERM},
    {"remove a directory", [] { return errno_of(::rmdir(in_place("inner").c_str())); }, 0, EPERM, EPERM, 0, EPERM, EPERM, EPERM, EPERM},
    {"make a symbolic link", [] { return errno_of(::symlink("file", in_place("symbolic").c_str())); }, 0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    // sockets
    {"Unix datagram socket", [] { return open_socket(AF_UNIX, SOCK_DGRAM); }, 0, EPERM, 0, EPERM, 0, EPERM, EPERM, EPERM},
    {"Unix stream socket", [] { return open_socket(AF_UNIX, SOCK_STREAM); }, 0, EPERM, EPERM, EPERM, 0, EPERM, EPERM, 0},
    {"TCP socket", [] { return open_socket(AF_INET, SOCK_STREAM); }, 0, EPERM, EPERM, EPERM, 0, 0, 0, EPERM},
    {"TCP socket that names its protocol", [] { return open_socket(AF_INET, SOCK_STREAM, IPPROTO_TCP); }, 0, EPERM, EPERM, EPERM, 0, 0, 0, EPERM},
    {"TCP socket of IPv6", [] { return open_socket(AF_INET6, SOCK_STREAM, IPPROTO_TCP); }, kNotAsked, EPERM, EPERM, EPERM, kNotAsked, kNotAsked, kNotAsked, EPERM},
    {"MPTCP socket", [] { return open_socket(AF_INET, SOCK_STREAM, kMptcp); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"MPTCP socket of IPv6", [] { return open_socket(AF_INET6, SOCK_STREAM, kMptcp); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"SMC socket", [] { return open_socket(AF_INET, SOCK_STREAM, kSmc); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"SCTP socket", [] { return open_socket(AF_INET, SOCK_STREAM, IPPROTO_SCTP); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"SCTP socket of packets", [] { return open_socket(AF_INET, SOCK_SEQPACKET, IPPROTO_SCTP); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"DCCP socket", [] { return open_socket(AF_INET, SOCK_DCCP, IPPROTO_DCCP); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"UDP-Lite socket", [] { return open_socket(AF_INET, SOCK_DGRAM, IPPROTO_UDPLITE); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"socket for pings", [] { return open_socket(AF_INET, SOCK_DGRAM, IPPROTO_ICMP); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"raw socket", [] { return open_socket(AF_INET, SOCK_RAW, IPPROTO_TCP); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"packet socket", [] { return open_socket(AF_PACKET, SOCK_DGRAM); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"packet socket by its old name", [] { return open_socket(AF_INET, SOCK_PACKET); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"virtual machine socket", [] { return open_socket(AF_VSOCK, SOCK_STREAM); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"socket of the kernel's ciphers", [] { return open_socket(AF_ALG, SOCK_SEQPACKET); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"netlink socket for addresses", [] { return open_socket(AF_NETLINK, SOCK_RAW); }, 0, EPERM, EPERM, EPERM, 0, EPERM, EPERM, EPERM},
    {"netlink socket of another kind", [] { return open_socket(AF_NETLINK, SOCK_RAW, 15); }, 0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"Unix socket of packets", [] { return open_socket(AF_UNIX, SOCK_SEQPACKET); }, 0, EPERM, EPERM, EPERM, 0, EPERM, EPERM, EPERM},
    {"pair of streams", [] { return open_pair(SOCK_STREAM); }, 0, EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
    {"pair for datagrams", [] { return open_pair(SOCK_DGRAM); }, 0, EPERM, EPERM, EPERM, 0, EPERM, EPERM, EPERM},
    {"UDP socket that names its protocol", [] { return open_socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP); }, 0, EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
    {"UDP socket", [] { return open_socket(AF_INET, SOCK_DGRAM); }, 0, EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
    {"connect a descriptor that is not open", [] { return errno_of(::connect(-1, nullptr, 0)); }, EBADF, EPERM, EBADF, EPERM, EBADF, EBADF, EBADF, EBADF},
    {"listen on a descriptor that is not open", [] { return errno_of(::listen(-1, 1)); }, EBADF, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"send on a descriptor that is not open", [] { return errno_of(::sendto(-1, "x", 1, MSG_NOSIGNAL, nullptr, 0)); }, EBADF, EPERM, EBADF, EPERM, EBADF, EBADF, EBADF, EBADF},
    {"the same by TCP Fast Open", [] { return errno_of(::sendto(-1, "x", 1, MSG_FASTOPEN, nullptr, 0)); }, EBADF, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"TCP Fast Open and another flag", [] { return errno_of(::sendto(-1, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL, nullptr, 0)); }, EBADF, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"a message", [] { const msghdr message{}; return errno_of(::sendmsg(-1, &message, 0)); }, EBADF, EPERM, EPERM, EPERM, EBADF, EBADF, EPERM, EPERM},
    {"a message by TCP Fast Open", [] { const msghdr message{}; return errno_of(::sendmsg(-1, &message, MSG_FASTOPEN)); }, EBADF, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"messages by TCP Fast Open", [] { mmsghdr message{}; return errno_of(::sendmmsg(-1, &message, 1, MSG_FASTOPEN)); }, EBADF, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"io_uring_setup", [] { return errno_of(::syscall(SYS_io_uring_setup, 0, nullptr)); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"an option of sockets", [] { return set_option(SOL_SOCKET, SO_KEEPALIVE); }, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF},
    {"TCP_NODELAY", [] { return set_option(IPPROTO_TCP, TCP_NODELAY); }, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF},
    {"TCP_USER_TIMEOUT", [] { return set_option(IPPROTO_TCP, TCP_USER_TIMEOUT); }, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF, EBADF},
    {"TCP_FASTOPEN_CONNECT", [] { return set_option(IPPROTO_TCP, TCP_FASTOPEN_CONNECT); }, EBADF, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"TCP_ULP", [] { return set_option(IPPROTO_TCP, TCP_ULP); }, EBADF, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    // processes and threads
    {"fork", fork_process, 0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"clone3", [] { return errno_of(::syscall(SYS_clone3, nullptr, 0)); }, kNotAsked, EPERM, EPERM, EPERM, ENOSYS, ENOSYS, EPERM, EPERM},
    {"start a thread", start_thread, 0, EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
    {"execute a program", execute, ENOENT, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"kill", [] { return errno_of(::kill(::getpid(), 0)); }, 0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"tgkill of another process", [] { return errno_of(::syscall(SYS_tgkill, ::getppid(), ::getppid(), 0)); }, 0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"ptrace", [] { return errno_of(::syscall(SYS_ptrace, 0x7fff, 0, 0, 0)); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"unshare", [] { return errno_of(::syscall(SYS_unshare, 0)); }, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    // kill(2) by another name
    {"F_SETOWN", [] { return errno_of(::fcntl(0, F_SETOWN, ::getpid())); }, 0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"F_SETOWN_EX", own_by_thread, 0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"F_SETSIG", [] { return errno_of(::fcntl(0, F_SETSIG, 0)); }, 0, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"FIOSETOWN", own_by_ioctl, kNotAsked, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM, EPERM},
    {"another fcntl", [] { return errno_of(::fcntl(0, F_GETFD)); }, 0, 0, 0, 0, 0, 0, 0, 0},
    // memory
    {"map executable memory", [] { return map_memory(kData | PROT_EXEC, kData | PROT_EXEC); }, 0, EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
    {"make memory executable", [] { return map_memory(kData, PROT_READ | PROT_EXEC); }, 0, EPERM, EPERM, EPERM, 0, 0, EPERM, EPERM},
};
// clang-format on

void check_column(int Row::*expected, const std::function<void()>& confine) {
    const TemporaryDirectory directory;
    write_file(directory / "file", "text");
    std::filesystem::create_directory(directory / "inner");
    place = &directory.path();
    std::vector<std::function<int()>> attempts;
    for (const Row& row : kRows) attempts.emplace_back(row.attempt);
    const Confined confined = run_confined(confine, attempts);
    CHECK(confined.refusal == "");
    CHECK(confined.signal == 0);
    REQUIRE(confined.results.size() == std::size(kRows));
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
        CAPTURE(std::string(kRows[i].when));
        if (kRows[i].*expected != kNotAsked) CHECK(confined.results[i] == kRows[i].*expected);
    }
}

}  // namespace

TEST_CASE("filter_calls: without a filter every attempt of the table succeeds, so each is a good one") {
    check_column(&Row::unfiltered, [] {});
}

TEST_CASE("filter_calls: each need allows its own calls and no others [seccomp(2), G05]") {
    if (!filters_here()) return;
    const struct {
        const char* name;
        os::CallNeeds needs;
        int Row::*expected;
    } columns[] = {
        {"none", {}, &Row::serve},
        {"syslog", {.syslog = true}, &Row::syslog},
        {"files", {.files = true}, &Row::files},
        {"network", {.network = true}, &Row::network},
        {"fetching", {.fetching = true}, &Row::fetching},
        {"tcp", {.tcp = true}, &Row::tcp},
        {"unix_stream", {.unix_stream = true}, &Row::unix_stream},
    };
    for (const auto& column : columns) {
        CAPTURE(std::string(column.name));
        check_column(column.expected, [&] { os::filter_calls(column.needs); });
    }
}

TEST_CASE("filter_calls: the threads that run already are filtered, too [seccomp(2)]") {
    if (!filters_here()) return;
    const auto in_older_thread = [] {
        std::atomic<bool> is_filtered = false;
        int result = 0;
        std::thread older([&] {
            is_filtered.wait(false);
            result = open_socket(AF_INET, SOCK_STREAM);
        });
        os::filter_calls({});
        is_filtered = true;
        is_filtered.notify_one();
        older.join();
        return result;
    };
    CHECK(run_confined([] {}, {in_older_thread}).results == std::vector<int>{EPERM});
}

#ifdef __x86_64__
TEST_CASE("filter_calls: a call by the numbers of another table ends the process [seccomp(2), G05]") {
    if (!filters_here()) return;
    const auto x32 = [] { return errno_of(::syscall(0x40000000L + SYS_getpid)); };
    const auto i386 = [] {
        long result = 20;  // getpid there, mkdirat's neighbour here
        asm volatile("int $0x80" : "+a"(result) : : "memory");
        return 0;
    };
    for (const std::function<int()>& attempt : {std::function<int()>(x32), std::function<int()>(i386)}) {
        const auto confined = run_confined([] { os::filter_calls({}); }, {attempt});
        CHECK(confined.results.empty());
        CHECK(confined.signal == SIGSYS);
    }
}
#endif
