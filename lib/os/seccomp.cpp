// The filter's table and the program that the kernel makes of it.
#include "os/seccomp.h"

#include <stdexcept>

// x32 numbers its calls differently, and big-endian words lie elsewhere.
#if (defined(__x86_64__) && !defined(__ILP32__)) || (defined(__aarch64__) && !defined(__AARCH64EB__))
#define POSTERN_HAS_CALL_TABLE 1
#include <asm/sockios.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "os/file.h"
#endif

namespace postern::os {

#ifdef POSTERN_HAS_CALL_TABLE
namespace {

#ifdef __x86_64__
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif
constexpr std::uint32_t kX32Calls = 0x40000000;  // the other numbers that x86-64 takes; never reached on aarch64
constexpr std::uint32_t kClone3 = 435;           // on every architecture

// clang-format off
/// Seen in running endpoints, and what the C library takes in their place on another architecture or kernel.
constexpr std::uint32_t kAlways[] = {
    // requests and answers
    __NR_accept, __NR_accept4, __NR_ppoll, __NR_pselect6, __NR_read, __NR_readv, __NR_write, __NR_writev, __NR_shutdown,
    __NR_close, __NR_dup3, __NR_getpeername, __NR_getsockname, __NR_setsockopt, __NR_getsockopt, __NR_recvfrom,
    // files: which ones is Landlock's
    __NR_openat, __NR_fstat, __NR_newfstatat, __NR_statx, __NR_faccessat, __NR_getdents64, __NR_lseek, __NR_pread64,
    __NR_pwrite64, __NR_fcntl, __NR_flock, __NR_fsync, __NR_fdatasync, __NR_ftruncate, __NR_fallocate, __NR_readlinkat,
    // memory
    __NR_brk, __NR_munmap, __NR_mremap, __NR_madvise,
    // time, signals, itself
    __NR_clock_gettime, __NR_clock_nanosleep, __NR_nanosleep, __NR_gettimeofday, __NR_setitimer, __NR_rt_sigaction,
    __NR_rt_sigprocmask, __NR_rt_sigreturn, __NR_restart_syscall, __NR_futex, __NR_getrandom, __NR_getpid, __NR_gettid,
    __NR_getuid, __NR_geteuid, __NR_getgid, __NR_getegid, __NR_sched_yield, __NR_exit, __NR_exit_group,
    // a new thread's first calls: the C library ends the process when they are refused
    __NR_rseq, __NR_set_robust_list,
#ifdef __x86_64__
    __NR_poll, __NR_select, __NR_dup2, __NR_open, __NR_stat, __NR_lstat, __NR_access, __NR_readlink, __NR_time,
#endif
};

constexpr std::uint32_t kForFiles[] = {
    __NR_mkdirat, __NR_unlinkat, __NR_renameat, __NR_renameat2, __NR_linkat, __NR_fchmod, __NR_fchmodat, __NR_utimensat,
    __NR_truncate,
#ifdef __x86_64__
    __NR_mkdir, __NR_rmdir, __NR_unlink, __NR_rename, __NR_link, __NR_chmod, __NR_creat,
#endif
};

constexpr std::uint32_t kToConnect[] = {__NR_connect, __NR_sendto};

/// The calls of a library that connects by itself, threads and the name service included.
constexpr std::uint32_t kForLibraries[] = {
    __NR_connect, __NR_sendto, __NR_sendmsg, __NR_sendmmsg, __NR_recvmsg, __NR_recvmmsg, __NR_ioctl, __NR_pipe2,
    __NR_eventfd2, __NR_epoll_create1, __NR_epoll_ctl, __NR_epoll_pwait, __NR_dup, __NR_uname, __NR_sysinfo,
    __NR_prlimit64, __NR_sigaltstack, __NR_sched_getaffinity, __NR_rt_sigtimedwait,
    __NR_mmap, __NR_mprotect,  // modules of the name service are loaded when a name is looked up
#ifdef __x86_64__
    __NR_epoll_wait, __NR_epoll_create, __NR_pipe,
#endif
};

constexpr std::uint32_t kForNetwork[] = {__NR_socketpair, __NR_bind};
// clang-format on

/// A kind of socket. The protocol belongs to it: a stream of another one (MPTCP, SMC, SCTP) is no TCP, and Landlock
/// lets it connect.
struct SocketKind {
    int family;
    int type;
    int protocol;
};
constexpr SocketKind kTcp[] = {{AF_INET, SOCK_STREAM, 0},
                               {AF_INET, SOCK_STREAM, IPPROTO_TCP},
                               {AF_INET6, SOCK_STREAM, 0},
                               {AF_INET6, SOCK_STREAM, IPPROTO_TCP}};
constexpr SocketKind kUdp[] = {{AF_INET, SOCK_DGRAM, 0},
                               {AF_INET, SOCK_DGRAM, IPPROTO_UDP},
                               {AF_INET6, SOCK_DGRAM, 0},
                               {AF_INET6, SOCK_DGRAM, IPPROTO_UDP}};
constexpr SocketKind kUnixStream[] = {{AF_UNIX, SOCK_STREAM, 0}};
constexpr SocketKind kUnixDatagram[] = {{AF_UNIX, SOCK_DGRAM, 0}};
constexpr SocketKind kNameService[] = {
    {AF_UNIX, SOCK_SEQPACKET, 0},
    {AF_NETLINK, SOCK_RAW, NETLINK_ROUTE},
    {AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE},
};

/// The options of TCP sockets that libraries set. Others begin a connection later (TCP_FASTOPEN_CONNECT) or make
/// another kind of socket of it (TCP_ULP).
constexpr int kTcpOptions[] = {TCP_NODELAY,   TCP_CORK,    TCP_QUICKACK,    TCP_KEEPIDLE,
                               TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT};

/// A filter program: rules in order, the first that matches decides. The number of the system call stays loaded between
/// rules. The rules with conditions are added first.
class Filter {
public:
    Filter() {
        load(offsetof(seccomp_data, arch));
        add(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0);
        answer(SECCOMP_RET_KILL_PROCESS);  // numbers of another table, as of int 0x80
        load_number();
        add(BPF_JMP | BPF_JGE | BPF_K, kX32Calls, 0, 1);
        answer(SECCOMP_RET_KILL_PROCESS);
    }

    /// With any arguments that no earlier rule has refused.
    void allow(std::span<const std::uint32_t> calls) {
        for (const std::uint32_t call : calls) {
            add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
            answer(SECCOMP_RET_ALLOW);
        }
    }
    void refuse(std::uint32_t call, int error) {
        add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1);
        answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error));
    }

    /// When of that argument, under the mask, this is the value. Others are left to the rules that follow.
    struct Condition {
        unsigned argument;
        std::uint32_t mask;
        std::uint32_t value;
    };
    void allow_if(std::uint32_t call, std::initializer_list<Condition> conditions) {
        decide_if(call, conditions, SECCOMP_RET_ALLOW);
    }
    void refuse_if(std::uint32_t call, std::initializer_list<Condition> conditions) {
        decide_if(call, conditions, SECCOMP_RET_ERRNO | EPERM);
    }

    /// Everything that no rule has allowed is refused.
    std::vector<sock_filter>& finish() {
        answer(SECCOMP_RET_ERRNO | EPERM);
        return program_;
    }

private:
    void decide_if(std::uint32_t call, std::initializer_list<Condition> conditions, std::uint32_t action) {
        // Past the conditions and the answer, to where the number is loaded again.
        add(BPF_JMP | BPF_JEQ | BPF_K, call, 0, static_cast<std::uint8_t>(conditions.size() * 3 + 2));
        auto left = conditions.size();
        for (const Condition& condition : conditions) {
            load(offsetof(seccomp_data, args) + condition.argument * sizeof(std::uint64_t));  // its lower half
            add(BPF_ALU | BPF_AND | BPF_K, condition.mask, 0, 0);
            --left;
            add(BPF_JMP | BPF_JEQ | BPF_K, condition.value, 0, static_cast<std::uint8_t>(left * 3 + 1));
        }
        answer(action);
        load_number();
    }
    void add(int code, std::uint32_t value, std::uint8_t if_true, std::uint8_t if_false) {
        program_.push_back({static_cast<std::uint16_t>(code), if_true, if_false, value});
    }
    void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset), 0, 0); }
    void load_number() { load(offsetof(seccomp_data, nr)); }
    void answer(std::uint32_t action) { add(BPF_RET | BPF_K, action, 0, 0); }

    std::vector<sock_filter> program_;
};

/// Whom the kernel signals about a descriptor, and by what: kill(2) by another name, before version 6 of Landlock.
void refuse_owners(Filter& filter) {
    const auto refuse = [&](std::uint32_t call, int command) {
        filter.refuse_if(call, {{1, ~0U, static_cast<std::uint32_t>(command)}});
    };
    for (const int command : {F_SETOWN, F_SETOWN_EX, F_SETSIG}) refuse(__NR_fcntl, command);
    for (const int command : {FIOSETOWN, SIOCSPGRP}) refuse(__NR_ioctl, command);
}

/// TCP Fast Open connects without connect(2), so Landlock does not see it.
void refuse_fast_open(Filter& filter) {
    constexpr std::uint32_t kFlag = MSG_FASTOPEN;
    filter.refuse_if(__NR_sendto, {{3, kFlag, kFlag}});
    filter.refuse_if(__NR_sendmsg, {{2, kFlag, kFlag}});
    filter.refuse_if(__NR_sendmmsg, {{3, kFlag, kFlag}});
}

void limit_tcp_options(Filter& filter) {
    for (const int option : kTcpOptions)
        filter.allow_if(__NR_setsockopt, {{1, ~0U, IPPROTO_TCP}, {2, ~0U, static_cast<std::uint32_t>(option)}});
    filter.refuse_if(__NR_setsockopt, {{1, ~0U, IPPROTO_TCP}});
}

void allow_sockets(Filter& filter, std::span<const SocketKind> kinds) {
    constexpr std::uint32_t kTypes = 0xf;  // the rest is SOCK_CLOEXEC and SOCK_NONBLOCK
    for (const SocketKind& kind : kinds)
        filter.allow_if(__NR_socket, {{0, ~0U, static_cast<std::uint32_t>(kind.family)},
                                      {1, kTypes, static_cast<std::uint32_t>(kind.type)},
                                      {2, ~0U, static_cast<std::uint32_t>(kind.protocol)}});
}

void allow_libraries(Filter& filter) {
    filter.allow(kForLibraries);
    filter.refuse(kClone3, ENOSYS);  // its flags are out of sight; the C library then takes clone
    filter.allow_if(__NR_clone, {{0, CLONE_THREAD, CLONE_THREAD}});
    allow_sockets(filter, kTcp);
    allow_sockets(filter, kUdp);
}

void allow_network(Filter& filter) {
    allow_libraries(filter);
    filter.allow(kForNetwork);
    allow_sockets(filter, kUnixStream);
    allow_sockets(filter, kUnixDatagram);
    allow_sockets(filter, kNameService);
}

void allow_fetching(Filter& filter) {
    allow_libraries(filter);
    // libcurl wakes itself by one. A pair for datagrams could send to every Unix socket.
    filter.allow_if(__NR_socketpair, {{0, ~0U, AF_UNIX}, {1, 0xf, SOCK_STREAM}});
}

void allow_connections(Filter& filter, std::span<const SocketKind> kinds) {
    allow_sockets(filter, kinds);
    filter.allow(kToConnect);
}

}  // namespace

bool can_filter_calls(std::string& reason) {
    const std::uint32_t action = SECCOMP_RET_ERRNO;
    if (::syscall(__NR_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) return true;
    reason = "seccomp is refused: " + errno_text();
    return false;
}

void filter_calls(const CallNeeds& needs) {
    Filter filter;
    refuse_owners(filter);  // the first rule that fits decides
    refuse_fast_open(filter);
    limit_tcp_options(filter);
    filter.allow(kAlways);
    filter.allow_if(__NR_tgkill, {{0, ~0U, static_cast<std::uint32_t>(::getpid())}});  // abort(3)
    filter.allow_if(__NR_mmap, {{2, PROT_EXEC, 0}});
    filter.allow_if(__NR_mprotect, {{2, PROT_EXEC, 0}});
    if (needs.files) filter.allow(kForFiles);
    if (needs.network) allow_network(filter);
    if (needs.fetching) allow_fetching(filter);
    if (needs.tcp) allow_connections(filter, kTcp);
    if (needs.unix_stream) allow_connections(filter, kUnixStream);
    if (needs.syslog) allow_connections(filter, kUnixDatagram);
    auto& program = filter.finish();
    const sock_fprog given{static_cast<unsigned short>(program.size()), program.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        throw std::runtime_error("sandbox: no_new_privs was refused: " + errno_text());
    const long result = ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &given);
    if (result < 0) throw std::runtime_error("sandbox: the filter for system calls was refused: " + errno_text());
    if (result > 0)
        throw std::runtime_error("sandbox: thread " + std::to_string(result) + " has another filter for system calls");
}

#else  // other architectures

bool can_filter_calls(std::string& reason) {
    reason = "there is no filter for system calls on this system";
    return false;
}

void filter_calls(const CallNeeds&) {
    throw std::runtime_error("sandbox: there is no filter for system calls on this system");
}

#endif

}  // namespace postern::os
