// Starts the program that fetches, and reads its reply.
#include "fetch/program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "fetch/messages.h"

namespace postern::fetch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongestRun{8};  // of the program, whose transfer ends after 5 s
constexpr int kCannotRun = 127;

struct Pipe {
    os::Descriptor read;
    os::Descriptor write;
};
Pipe make_pipe() {
    int ends[2] = {-1, -1};
    const bool made = ::pipe2(ends, O_CLOEXEC) == 0;
    return {os::Descriptor(made ? ends[0] : -1), os::Descriptor(made ? ends[1] : -1)};
}

/// Its standard error is that of no caller, and it has no other descriptor.
void keep_only_standard() {
    const int nothing = ::open("/dev/null", O_RDWR);
    ::dup2(nothing, STDERR_FILENO);
#ifdef SYS_close_range
    ::syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);  // what is left is closed at the start of the program
#endif
}

void let_signals_through() {
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

/// The environment is empty but for what keeps OpenSSL from reading a configuration.
[[noreturn]] void become_program(const std::string& program, const Pipe& order, const Pipe& reply) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    let_signals_through();
    ::dup2(order.read.get(), STDIN_FILENO);
    ::dup2(reply.write.get(), STDOUT_FILENO);
    keep_only_standard();
    char name[] = "fetch";
    char openssl[] = "OPENSSL_CONF=/dev/null";
    char* const arguments[] = {name, nullptr};
    char* const environment[] = {openssl, nullptr};
    ::execve(program.c_str(), arguments, environment);
    ::_exit(kCannotRun);
}

std::string failure(const std::string& reason) { return write_reply(Reply(reason)); }

}  // namespace

Program::Program(const Outbound& outbound, Methods methods, std::string question)
    : name_(outbound.program), deadline_(Clock::now() + kLongestRun) {
    Pipe order = make_pipe();
    Pipe reply = make_pipe();
    if (!order.read || !reply.read) {
        failure_ = "no pipe for the fetching program: " + os::errno_text();
        return;
    }
    process_ = ::fork();
    if (process_ < 0) {
        failure_ = "no process for the fetching program: " + os::errno_text();
        return;
    }
    if (process_ == 0) become_program(outbound.program, order, reply);
    order.read = os::Descriptor();
    os::write_all(order.write.get(),
                  write_order({outbound, methods, std::move(question)}));  // false: the program has ended
    output_ = std::move(reply.read);
}

Program::~Program() {
    if (process_ > 0) finish();
}

bool Program::read_some() {
    char block[4096];
    const ssize_t got = output_ ? ::read(output_.get(), block, sizeof block) : -1;
    if (got > 0) bytes_.append(block, static_cast<std::size_t>(got));
    if (got > 0 && bytes_.size() <= kLongestAnswer) return true;
    is_whole_ = got == 0;
    return false;
}

std::string Program::finish() {
    if (process_ <= 0) return failure(failure_);
    if (!is_whole_) ::kill(process_, SIGKILL);
    int status = 0;
    while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotRun) return failure(name_ + " cannot be run");
    if (!is_whole_) return failure("the fetching program took too long");
    if (status != 0 || bytes_.empty()) return failure("the fetching program ended without an answer");
    return bytes_;
}

}  // namespace postern::fetch
