// An endpoint whose handler tries what a process that was taken over would try, and says how each attempt ended: served
// by server::serve like any other. Settings come from its environment.
//
//     sandbox_probe                          the endpoint
//     sandbox_probe without CALL PROGRAM...  starts a program on a kernel that refuses "landlock" or "seccomp"
#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <arpa/inet.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <semaphore>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "db/error.h"
#include "fetch/fetcher.h"
#include "json/writer.h"
#include "server/app.h"
#include "server/serve.h"

extern char** environ;

namespace {

using namespace postern;

std::string setting(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// Below a directory of the test, for files that the attempts make, read and remove.
std::string place(const char* name) { return setting("PROBE_PLACE") + "/" + name; }

/// 0, or errno.
int outcome(long result) { return result < 0 ? errno : 0; }

int opened(const std::string& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    const int result = outcome(descriptor);
    if (descriptor >= 0) ::close(descriptor);
    return result;
}

int listed(const std::string& path) {
    DIR* const directory = ::opendir(path.c_str());
    const int result = directory != nullptr ? 0 : errno;
    if (directory != nullptr) ::closedir(directory);
    return result;
}

int made(const std::string& path) {
    const int result = opened(path, O_WRONLY | O_CREAT | O_EXCL);
    if (result == 0) ::unlink(path.c_str());
    return result;
}

int with_socket(int family, int type, const std::function<int(int)>& use) {
    const int descriptor = ::socket(family, type | SOCK_CLOEXEC, 0);
    if (descriptor < 0) return errno;
    const int result = use(descriptor);
    ::close(descriptor);
    return result;
}

sockaddr_in loopback(const std::string& port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int tcp_connected() {
    const sockaddr_in address = loopback(setting("PROBE_PORT"));
    return with_socket(AF_INET, SOCK_STREAM, [&](int descriptor) {
        return outcome(::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    });
}

int tcp_bound() {
    const sockaddr_in address = loopback("0");
    return with_socket(AF_INET, SOCK_STREAM, [&](int descriptor) {
        return outcome(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    });
}

constexpr int kMptcp = 262;  // headers of older systems do not name it

int mptcp_connected() {
    const sockaddr_in address = loopback(setting("PROBE_PORT"));
    const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, kMptcp);
    if (descriptor < 0) return errno;
    const int result = outcome(::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    ::close(descriptor);
    return result;
}

/// Connects by sending (RFC 7413).
int fast_opened() {
    const sockaddr_in address = loopback(setting("PROBE_PORT"));
    return with_socket(AF_INET, SOCK_STREAM, [&](int descriptor) {
        return outcome(::sendto(descriptor, "x", 1, MSG_FASTOPEN | MSG_NOSIGNAL,
                                reinterpret_cast<const sockaddr*>(&address), sizeof address));
    });
}

mmsghdr message_to(sockaddr_in& address, iovec& bytes) {
    mmsghdr message{};
    message.msg_hdr.msg_name = &address;
    message.msg_hdr.msg_namelen = sizeof address;
    message.msg_hdr.msg_iov = &bytes;
    message.msg_hdr.msg_iovlen = 1;
    return message;
}

int fast_opened_by_message(bool several) {
    sockaddr_in address = loopback(setting("PROBE_PORT"));
    char byte = 'x';
    iovec bytes{&byte, 1};
    mmsghdr message = message_to(address, bytes);
    return with_socket(AF_INET, SOCK_STREAM, [&](int descriptor) {
        return outcome(several ? ::sendmmsg(descriptor, &message, 1, MSG_FASTOPEN | MSG_NOSIGNAL)
                               : ::sendmsg(descriptor, &message.msg_hdr, MSG_FASTOPEN | MSG_NOSIGNAL));
    });
}

int connection_deferred() {
    return with_socket(AF_INET, SOCK_STREAM, [](int descriptor) {
        const int on = 1;
        return outcome(::setsockopt(descriptor, IPPROTO_TCP, TCP_FASTOPEN_CONNECT, &on, sizeof on));
    });
}

int opened_socket(int family, int type) {
    return with_socket(family, type, [](int) { return 0; });
}

int unix_connected() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, setting("PROBE_SOCKET").c_str(), sizeof address.sun_path - 1);
    return with_socket(AF_UNIX, SOCK_STREAM, [&](int descriptor) {
        return outcome(::connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address));
    });
}

int exit_status_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : ECANCELED;
}

int forked() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    return child < 0 ? errno : exit_status_of(child);
}

int ran() {
    char program[] = "/bin/true";
    char* arguments[] = {program, nullptr};
    pid_t child = 0;
    const int result = ::posix_spawn(&child, program, nullptr, nullptr, arguments, environ);
    return result != 0 ? result : exit_status_of(child);
}

/// Where the call is let through it says that there is no such program, and this one goes on.
int executed() {
    char program[] = "/nonexistent";
    char* arguments[] = {program, nullptr};
    return outcome(::execve(program, arguments, environ));
}

int threaded() {
    try {
        std::thread([] {}).join();
        return 0;
    } catch (const std::system_error& error) {
        return error.code().value();
    }
}

/// What the C library asks for in a thread that begins; with these arguments the kernel only says that they are none.
int begun() {
    errno = 0;
    const bool asked = ::syscall(SYS_rseq, nullptr, 0, 0, 0) < 0 && errno == EINVAL &&
                       ::syscall(SYS_set_robust_list, nullptr, 0) < 0 && errno == EINVAL;
    return asked ? 0 : errno;
}

constexpr pid_t kNobody = 0x3fffffff;  // above every process id: a call that is let through says so

int traced() { return outcome(::ptrace(PTRACE_ATTACH, kNobody, nullptr, nullptr)); }

int read_memory() {
    char from = 'x';
    char to = 0;
    const iovec local{&to, 1};
    const iovec remote{&from, 1};
    return outcome(::process_vm_readv(::getpid(), &local, 1, &remote, 1, 0));
}

int executable_memory(int first, int then) {
    void* const mapped = ::mmap(nullptr, 4096, first, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return errno;
    const int result = outcome(::mprotect(mapped, 4096, then));
    ::munmap(mapped, 4096);
    return result;
}

int renamed() {
    const int result = outcome(::rename(place("file").c_str(), place("other").c_str()));
    if (result == 0) ::rename(place("other").c_str(), place("file").c_str());
    return result;
}

int linked(bool symbolic) {
    const std::string link = place("link");
    const int result =
        outcome(symbolic ? ::symlink("file", link.c_str()) : ::link(place("file").c_str(), link.c_str()));
    if (result == 0) ::unlink(link.c_str());
    return result;
}

int directory_made() {
    const int result = outcome(::mkdir(place("directory").c_str(), 0700));
    if (result == 0) ::rmdir(place("directory").c_str());
    return result;
}

/// What an endpoint that declared it does with its database.
int wrote_database(server::App& app) {
    try {
        db::Transaction transaction(app.context().store, db::Durability::full);
        transaction.database().prepare("UPDATE users SET enabled = enabled WHERE 0").execute();
        transaction.commit();
        return 0;
    } catch (const db::StoreError&) {
        return EROFS;
    }
}

int read_database(server::App& app) {
    auto statement = app.context().store.prepare("SELECT count(*) FROM users");
    return statement.step() ? 0 : EIO;
}

/// What the kernel signals, and how, about a descriptor.
int owned_by_thread() {
    const f_owner_ex owner{F_OWNER_PID, ::getpid()};
    return outcome(::fcntl(0, F_SETOWN_EX, &owner));
}

int owned_by_ioctl() {
    int owner = ::getpid();
    return outcome(::ioctl(0, FIOSETOWN, &owner));
}

/// A thread that runs before the sandbox, as a preloaded library may start one.
class OlderThread {
public:
    OlderThread() : thread_([this] { work(); }) {}
    OlderThread(const OlderThread&) = delete;
    OlderThread& operator=(const OlderThread&) = delete;
    ~OlderThread() {
        end_ = true;
        asked_.release();
        thread_.join();
    }
    int make(const std::function<int()>& attempt) {
        attempt_ = attempt;
        asked_.release();
        done_.acquire();
        return result_;
    }

private:
    void work() {
        for (asked_.acquire(); !end_; asked_.acquire()) {
            result_ = attempt_();
            done_.release();
        }
    }
    std::binary_semaphore asked_{0};
    std::binary_semaphore done_{0};
    std::atomic<bool> end_{false};
    std::function<int()> attempt_;
    int result_ = 0;
    std::thread thread_;  // last: it uses the others
};
std::unique_ptr<OlderThread> older_thread;

int bound_by_older_thread() { return older_thread ? older_thread->make(tcp_bound) : tcp_bound(); }

struct Attempt {
    const char* name;
    std::function<int(server::App&)> make;
};

const std::vector<Attempt>& attempts() {
    using server::App;
    constexpr int kData = PROT_READ | PROT_WRITE;
    static const std::vector<Attempt> all = {
        {"database", read_database},
        {"write database", wrote_database},
        {"random", [](App& app) { return app.random().bytes(8).size() == 8 ? 0 : EIO; }},
        {"key set", [](App& app) { return opened(app.config().keys + "/jwks.json", O_RDONLY); }},
        {"list keys", [](App& app) { return listed(app.config().keys); }},
        {"write key set", [](App& app) { return opened(app.config().keys + "/jwks.json", O_WRONLY); }},
        {"write seal.key", [](App& app) { return opened(app.config().keys + "/seal.key", O_WRONLY); }},
        {"write factor.key", [](App& app) { return opened(app.config().keys + "/factor.key", O_WRONLY); }},
        {"gate", [](App& app) { return opened(app.config().database + ".gate", O_RDWR); }},
        {"file beside the database",
         [](App& app) { return made(app.config().database + "." + setting("PROBE_PATH").substr(1)); }},
        {"configuration", [](App&) { return opened(setting("POSTERN_CONFIG"), O_RDONLY); }},
        {"/etc/passwd", [](App&) { return opened("/etc/passwd", O_RDONLY); }},
        {"/proc", [](App&) { return opened("/proc/version", O_RDONLY); }},
        {"list /", [](App&) { return listed("/"); }},
        {"file", [](App&) { return opened(place("file"), O_RDONLY); }},
        {"write file", [](App&) { return opened(place("file"), O_RDWR); }},
        {"new file", [](App&) { return made(place("new")); }},
        {"truncate", [](App&) { return outcome(::truncate(place("file").c_str(), 1)); }},
        {"rename", [](App&) { return renamed(); }},
        {"link", [](App&) { return linked(false); }},
        {"symbolic link", [](App&) { return linked(true); }},
        {"directory", [](App&) { return directory_made(); }},
        {"mode", [](App&) { return outcome(::chmod(place("file").c_str(), 0600)); }},
        {"tcp", [](App&) { return tcp_connected(); }},
        {"bind", [](App&) { return tcp_bound(); }},
        {"bind in an older thread", [](App&) { return bound_by_older_thread(); }},
        {"unix socket", [](App&) { return unix_connected(); }},
        {"datagram", [](App&) { return opened_socket(AF_UNIX, SOCK_DGRAM); }},
        {"mptcp", [](App&) { return mptcp_connected(); }},
        {"fast open", [](App&) { return fast_opened(); }},
        {"fast open by message", [](App&) { return fast_opened_by_message(false); }},
        {"fast open by messages", [](App&) { return fast_opened_by_message(true); }},
        {"deferred connection", [](App&) { return connection_deferred(); }},
        {"udp", [](App&) { return opened_socket(AF_INET, SOCK_DGRAM); }},
        {"netlink", [](App&) { return opened_socket(AF_NETLINK, SOCK_RAW); }},
        {"packets of this machine", [](App&) { return opened_socket(AF_UNIX, SOCK_SEQPACKET); }},
        {"execute", [](App&) { return executed(); }},
        {"fork", [](App&) { return forked(); }},
        {"program", [](App&) { return ran(); }},
        {"thread", [](App&) { return threaded(); }},
        {"beginning of a thread", [](App&) { return begun(); }},
        {"trace", [](App&) { return traced(); }},
        {"other memory", [](App&) { return read_memory(); }},
        {"signal", [](App&) { return outcome(::kill(::getpid(), 0)); }},
        {"owner", [](App&) { return outcome(::fcntl(0, F_SETOWN, ::getpid())); }},
        {"owner by thread", [](App&) { return owned_by_thread(); }},
        {"owner by ioctl", [](App&) { return owned_by_ioctl(); }},
        {"signal of a descriptor", [](App&) { return outcome(::fcntl(0, F_SETSIG, 0)); }},
        {"executable memory", [](App&) { return executable_memory(kData | PROT_EXEC, kData | PROT_EXEC); }},
        {"memory made executable", [](App&) { return executable_memory(kData, PROT_READ | PROT_EXEC); }},
        {"name space", [](App&) { return outcome(::syscall(SYS_unshare, 0)); }},
    };
    return all;
}

/// Not asked for in the sandbox, where nobody may ask.
struct Memory {
    bool dumpable = true;
    bool core = true;
};

Memory look_at_memory() {
    rlimit limit{};
    ::getrlimit(RLIMIT_CORE, &limit);
    return {::prctl(PR_GET_DUMPABLE) != 0, limit.rlim_max != 0};
}

http::Response try_everything(server::App& app, const Memory& memory) {
    json::Object results{{"dumpable", memory.dumpable}, {"core", memory.core}};
    for (const Attempt& attempt : attempts()) {
        const int result = attempt.make(app);
        const char* const name = result == 0 ? "ok" : ::strerrorname_np(result);
        results.set(attempt.name, std::string(name != nullptr ? name : "unknown"));
    }
    return http::json(results);
}

std::vector<std::string> list_of(const char* name) {
    const std::string value = setting(name);
    return value.empty() ? std::vector<std::string>() : std::vector{value};
}

int serve() {
    Memory memory;
    server::Endpoint endpoint;
    endpoint.name = "probe";
    endpoint.paths = [](const oauth::Settings&) { return std::vector{setting("PROBE_PATH")}; };
    endpoint.methods = [](const oauth::Settings&) { return std::vector{http::Method::get}; };
    endpoint.store = setting("PROBE_READS").empty() ? server::StoreUse::write : server::StoreUse::read;
    endpoint.keys = setting("PROBE_SIGNS").empty() ? keys::KeyUse::publish : keys::KeyUse::sign;
    endpoint.seal = endpoint.factors = !setting("PROBE_FACTORS").empty();
    endpoint.needs.read = list_of("PROBE_READ");
    endpoint.needs.write = list_of("PROBE_WRITE");
    endpoint.needs.network = !setting("PROBE_NETWORK").empty();
    endpoint.needs.anything = !setting("PROBE_ANYTHING").empty();
    endpoint.logins = !setting("PROBE_LOGINS").empty();
    if (!setting("PROBE_FETCHES").empty()) endpoint.fetcher = fetch::start_child;
    endpoint.begin = [&](server::App&) { memory = look_at_memory(); };
    return server::serve(endpoint, [&](server::App& app, const http::Request&) { return try_everything(app, memory); });
}

/// As a kernel that does not know the call, or a container that forbids it.
int start_without(const std::string& call, char** program) {
    constexpr std::uint32_t kLandlock = 444;
    const bool landlock = call == "landlock";
    sock_filter filter[] = {
        {BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
        {BPF_JMP | BPF_JEQ | BPF_K, 0, 1, landlock ? kLandlock : static_cast<std::uint32_t>(SYS_seccomp)},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(landlock ? ENOSYS : EPERM)},
        {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
    };
    const sock_fprog given{4, filter};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &given) == 0)
        ::execv(program[0], program);
    std::perror(program[0]);
    return 2;
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 3 && std::string(arguments[1]) == "without") return start_without(arguments[2], arguments + 3);
    if (!setting("PROBE_THREAD").empty()) older_thread = std::make_unique<OlderThread>();
    const int result = serve();
    older_thread.reset();
    return result;
}
