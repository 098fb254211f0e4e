// The child of an endpoint that may fetch, and the endpoint's side of it: a question and its answer on a pair of
// sockets, which keeps messages apart. The child waits, and runs a program for each question.
#include "fetch/fetcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <system_error>
#include <thread>

#include "fetch/messages.h"
#include "os/file.h"

namespace postern::fetch {
namespace {

constexpr int kPatience = 10'000;  // milliseconds: longer than the child's own for the program

class Child final : public Fetcher {
public:
    explicit Child(os::Descriptor pair) : pair_(std::move(pair)) {}

    Reply ask(const Question& question) override {
        const std::string message = write_question(question);
        if (message.size() > kLongestQuestion) return std::string("the question is too long");
        if (!pair_ || ::write(pair_.get(), message.data(), message.size()) < 0) return lost("is gone");
        return receive();
    }

    bool is_lost() const override { return !pair_; }

private:
    Reply receive() {
        pollfd waiting{pair_.get(), POLLIN, 0};
        int ready = 0;
        do ready = ::poll(&waiting, 1, kPatience);
        while (ready < 0 && errno == EINTR);
        if (ready <= 0) return lost("did not answer");
        std::string bytes(kLongestAnswer, '\0');
        const ssize_t got = ::recv(pair_.get(), bytes.data(), bytes.size(), 0);
        if (got <= 0) return lost("is gone");
        bytes.resize(static_cast<std::size_t>(got));
        return read_reply(bytes);
    }

    /// An answer that comes later would be taken for that of the next question.
    std::string lost(const std::string& what) {
        pair_ = os::Descriptor();
        return "the child that starts the fetching program " + what;
    }

    os::Descriptor pair_;
};

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestRun{8};  // of the program, whose transfer ends after 5 s
constexpr int kPair = 3;
constexpr int kCannotRun = 127;

/// The web server waits until the descriptors that it gave the endpoint are closed: output and listening socket.
void keep_only(int pair) {
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int standard = 0; standard < kPair; ++standard) ::dup2(nothing, standard);
    if (pair != kPair) ::dup2(pair, kPair);
    ::fcntl(kPair, F_SETFD, FD_CLOEXEC);
#ifdef SYS_close_range
    if (::syscall(SYS_close_range, kPair + 1, ~0U, 0) == 0) return;
#endif
    const long most = ::sysconf(_SC_OPEN_MAX);
    for (int other = kPair + 1; other < most; ++other) ::close(other);
}

/// An endpoint that is stopped finishes its request, which may still ask. The pair tells when it has ended.
void set_signals() {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGPIPE}) ::signal(signal, SIG_IGN);
    ::signal(SIGCHLD, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void name_itself() {
    ::prctl(PR_SET_NAME, "postern-waiter");
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

struct Pipe {
    os::Descriptor read;
    os::Descriptor write;
};
Pipe make_pipe() {
    int ends[2] = {-1, -1};
    const bool made = ::pipe2(ends, O_CLOEXEC) == 0;
    return {os::Descriptor(made ? ends[0] : -1), os::Descriptor(made ? ends[1] : -1)};
}

/// The environment is empty but for what keeps OpenSSL from reading a configuration.
[[noreturn]] void become_program(const std::string& program, const Pipe& order, const Pipe& reply) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::dup2(order.read.get(), STDIN_FILENO);
    ::dup2(reply.write.get(), STDOUT_FILENO);
    char name[] = "fetch";
    char openssl[] = "OPENSSL_CONF=/dev/null";
    char* const arguments[] = {name, nullptr};
    char* const environment[] = {openssl, nullptr};
    ::execve(program.c_str(), arguments, environment);
    ::_exit(kCannotRun);
}

/// Reads until the program closes its output; false: it took too long, or the endpoint has ended.
bool read_all(int descriptor, std::string& bytes) {
    const auto end = Clock::now() + kLongestRun;
    while (bytes.size() <= kLongestAnswer) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
        pollfd waiting[] = {{descriptor, POLLIN, 0}, {kPair, 0, 0}};
        if (left <= 0 || ::poll(waiting, 2, static_cast<int>(left)) <= 0 || waiting[1].revents != 0) return false;
        char block[4096];
        const ssize_t got = ::read(descriptor, block, sizeof block);
        if (got <= 0) return got == 0;
        bytes.append(block, static_cast<std::size_t>(got));
    }
    return false;
}

std::string failure(const std::string& reason) { return write_reply(Reply(reason)); }

std::string run_program(const Outbound& outbound, std::string question) {
    Pipe order = make_pipe();
    Pipe reply = make_pipe();
    if (!order.read || !reply.read) return failure("no pipe for the fetching program: " + os::errno_text());
    const pid_t program = ::fork();
    if (program < 0) return failure("no process for the fetching program: " + os::errno_text());
    if (program == 0) become_program(outbound.program, order, reply);
    order.read = os::Descriptor();
    reply.write = os::Descriptor();
    os::write_all(order.write.get(), write_order({outbound, std::move(question)}));  // false: the program has ended
    order.write = os::Descriptor();
    std::string bytes;
    const bool whole = read_all(reply.read.get(), bytes);
    if (!whole) ::kill(program, SIGKILL);
    int status = 0;
    while (::waitpid(program, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotRun) return failure(outbound.program + " cannot be run");
    if (!whole) return failure("the fetching program took too long");
    if (status != 0 || bytes.empty()) return failure("the fetching program ended without an answer");
    return bytes;
}

/// Keeps of the endpoint's descriptors `pair` alone. The bytes of a question go to the program unread, behind the
/// limits. Ends the process when the other end of the pair is closed.
[[noreturn]] void wait_for_questions(int pair, const Outbound& outbound) noexcept {
    keep_only(pair);
    set_signals();
    name_itself();
    for (;;) {
        std::string question(kLongestQuestion, '\0');
        const ssize_t got = ::recv(kPair, question.data(), question.size(), 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) ::_exit(0);
        question.resize(static_cast<std::size_t>(got));
        const std::string answer = run_program(outbound, std::move(question));
        if (::send(kPair, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) ::_exit(0);
    }
}

}  // namespace

void Fetcher::wait_until(Moment moment) const { std::this_thread::sleep_until(moment); }

std::unique_ptr<Fetcher> start_child(const Outbound& outbound) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        throw std::system_error(errno, std::generic_category(), "a pair of sockets for \"outbound\"");
    os::Descriptor ours(ends[0]);
    const os::Descriptor childs(ends[1]);
    const pid_t child = ::fork();
    if (child < 0) throw std::system_error(errno, std::generic_category(), "a child for \"outbound\"");
    if (child == 0) wait_for_questions(childs.get(), outbound);
    return std::make_unique<Child>(std::move(ours));
}

}  // namespace postern::fetch
