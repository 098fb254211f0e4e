// The child of an endpoint that may fetch, and the endpoint's side of it: a question and its answer on a pair of
// sockets, which keeps messages apart. The child waits, and runs a program for each question.
#include "fetch/fetcher.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <string>
#include <system_error>
#include <thread>

#include "fetch/messages.h"
#include "fetch/program.h"
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

constexpr int kPair = 3;

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

/// Reads until the program closes its output, it has taken too long, or the endpoint has ended.
std::string run_program(const Outbound& outbound, std::string question) {
    Program program(outbound, Methods::get, std::move(question));
    while (program.output() >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(program.deadline() - Clock::now());
        pollfd waiting[] = {{program.output(), POLLIN, 0}, {kPair, 0, 0}};
        if (left.count() <= 0 || ::poll(waiting, 2, static_cast<int>(left.count())) <= 0) break;
        if (waiting[1].revents != 0 || !program.read_some()) break;
    }
    return program.finish();
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
