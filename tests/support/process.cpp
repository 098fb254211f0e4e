// Feeds a child process and collects what it says, without waiting for either side alone.
#include "support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace postern::test {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

void require(int error, const char* what) {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

class Pipe {
public:
    Pipe() { require(::pipe2(ends_.data(), O_CLOEXEC) == 0 ? 0 : errno, "pipe2"); }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_end(0);
        close_end(1);
    }
    int reader() const { return ends_[0]; }
    int writer() const { return ends_[1]; }
    void close_reader() { close_end(0); }
    void close_writer() { close_end(1); }

private:
    void close_end(std::size_t index) {
        if (ends_[index] >= 0) ::close(ends_[index]);
        ends_[index] = -1;
    }
    std::array<int, 2> ends_{-1, -1};
};

/// A child that does not read its input must not end the tests.
class IgnoreSigpipe {
public:
    IgnoreSigpipe() : old_(::signal(SIGPIPE, SIG_IGN)) {}
    IgnoreSigpipe(const IgnoreSigpipe&) = delete;
    IgnoreSigpipe& operator=(const IgnoreSigpipe&) = delete;
    ~IgnoreSigpipe() { ::signal(SIGPIPE, old_); }

private:
    sighandler_t old_;
};

std::vector<char*> pointers_to(std::vector<std::string>& strings) {
    std::vector<char*> pointers;
    for (std::string& text : strings) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

struct Pipes {
    Pipe in, out, err;
};

pid_t start(std::vector<std::string> argv, const std::map<std::string, std::string>& environment, const Pipes& pipes) {
    std::vector<std::string> assignments;
    for (const auto& [name, value] : environment) assignments.push_back(name + "=" + value);

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    require(posix_spawn_file_actions_init(&actions), "posix_spawn");
    require(posix_spawnattr_init(&attributes), "posix_spawn");
    posix_spawn_file_actions_adddup2(&actions, pipes.in.reader(), 0);
    posix_spawn_file_actions_adddup2(&actions, pipes.out.writer(), 1);
    posix_spawn_file_actions_adddup2(&actions, pipes.err.writer(), 2);
    sigset_t defaults;  // ignored signals would stay ignored in the child
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);

    pid_t child = -1;
    const int error = ::posix_spawn(&child, argv.at(0).c_str(), &actions, &attributes, pointers_to(argv).data(),
                                    pointers_to(assignments).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    require(error, argv[0].c_str());
    return child;
}

/// False at the end of the stream.
bool read_some(int descriptor, std::string& text) {
    std::array<char, 65536> buffer{};
    const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
    if (count > 0) text.append(buffer.data(), static_cast<std::size_t>(count));
    return count > 0 || (count < 0 && errno == EINTR);
}

/// False when there is nothing more to write, or nobody to read it.
bool write_some(int descriptor, std::string_view& input) {
    const ssize_t count = input.empty() ? 0 : ::write(descriptor, input.data(), input.size());
    if (count < 0 && errno != EAGAIN && errno != EINTR) return false;
    if (count > 0) input.remove_prefix(static_cast<std::size_t>(count));
    return !input.empty();
}

int milliseconds_until(Deadline deadline) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    return left > 0 ? static_cast<int>(left) : 0;
}

/// Until the child has closed both outputs. False when the deadline came first.
bool converse(Pipes& pipes, std::string_view input, Deadline deadline, ProcessResult& result) {
    ::fcntl(pipes.in.writer(), F_SETFL, O_NONBLOCK);
    while (pipes.out.reader() >= 0 || pipes.err.reader() >= 0) {
        std::array<pollfd, 3> waiting = {pollfd{pipes.in.writer(), POLLOUT, 0}, pollfd{pipes.out.reader(), POLLIN, 0},
                                         pollfd{pipes.err.reader(), POLLIN, 0}};
        const int ready = ::poll(waiting.data(), waiting.size(), milliseconds_until(deadline));
        if (ready == 0) return false;
        if (ready < 0) continue;
        if (waiting[0].revents != 0 && !write_some(pipes.in.writer(), input)) pipes.in.close_writer();
        if (waiting[1].revents != 0 && !read_some(pipes.out.reader(), result.out)) pipes.out.close_reader();
        if (waiting[2].revents != 0 && !read_some(pipes.err.reader(), result.err)) pipes.err.close_reader();
    }
    return true;
}

int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) require(errno, "waitpid");
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

ProcessResult run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
                  std::string_view input, std::chrono::milliseconds timeout) {
    const IgnoreSigpipe ignore;
    const Deadline deadline = std::chrono::steady_clock::now() + timeout;
    Pipes pipes;
    const pid_t child = start(argv, environment, pipes);
    pipes.in.close_reader();
    pipes.out.close_writer();
    pipes.err.close_writer();

    ProcessResult result;
    const bool in_time = converse(pipes, input, deadline, result);
    if (!in_time) ::kill(child, SIGKILL);
    const int exit_code = wait_for(child);
    result.exit_code = in_time ? exit_code : kTimedOut;
    return result;
}

}  // namespace postern::test
