// Runs a program with a text on its standard input, and waits for its end.
#include "os/run_program.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>

#include "os/file.h"

namespace postern::os {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestOutput = 2000;
constexpr int kLookAgainMs = 20;

struct Pipe {
    Descriptor out;  ///< to read
    Descriptor in;   ///< to write
};

Pipe make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void never_block(const Descriptor& file) { ::fcntl(file.get(), F_SETFL, O_NONBLOCK); }

/// A command that ends without having read everything must not end this process.
class NoBrokenPipe {
public:
    NoBrokenPipe() {
        struct sigaction ignore {};
        ignore.sa_handler = SIG_IGN;
        ::sigaction(SIGPIPE, &ignore, &former_);
    }
    NoBrokenPipe(const NoBrokenPipe&) = delete;
    NoBrokenPipe& operator=(const NoBrokenPipe&) = delete;
    ~NoBrokenPipe() { ::sigaction(SIGPIPE, &former_, nullptr); }

private:
    struct sigaction former_ {};
};

/// How the child begins: a group, default signals, and the two pipes.
class SpawnPlan {
public:
    SpawnPlan(const Pipe& input, const Pipe& output) {
        ::posix_spawn_file_actions_init(&actions_);
        ::posix_spawn_file_actions_adddup2(&actions_, input.out.get(), STDIN_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions_, output.in.get(), STDOUT_FILENO);
        ::posix_spawn_file_actions_adddup2(&actions_, output.in.get(), STDERR_FILENO);
        sigset_t none;
        sigset_t defaults;
        ::sigemptyset(&none);
        ::sigemptyset(&defaults);
        for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaddset(&defaults, signal);
        ::posix_spawnattr_init(&attributes_);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setflags(&attributes_,
                                   POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    }
    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;
    ~SpawnPlan() {
        ::posix_spawn_file_actions_destroy(&actions_);
        ::posix_spawnattr_destroy(&attributes_);
    }

    /// 0, or the error number.
    int start(const std::vector<std::string>& command, pid_t& child) const {
        std::vector<std::string> words = command;
        std::vector<std::string> environment = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"};
        for (const char* name : {"HOME", "TZ"})
            if (const char* value = std::getenv(name)) environment.push_back(std::string(name) + "=" + value);
        return ::posix_spawn(&child, command.front().c_str(), &actions_, &attributes_, pointers(words).data(),
                             pointers(environment).data());
    }

private:
    static std::vector<char*> pointers(std::vector<std::string>& words) {
        std::vector<char*> all;
        for (std::string& word : words) all.push_back(word.data());
        all.push_back(nullptr);
        return all;
    }

    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

/// Passes on the rest of the input and collects the output, as far as neither waits.
class Talk {
public:
    Talk(const std::string& text, Descriptor input, Descriptor output)
        : text_(text), input_(std::move(input)), output_(std::move(output)) {
        never_block(input_);
        never_block(output_);
    }

    void go_on() {
        pollfd files[] = {{input_.get(), POLLOUT, 0}, {output_.get(), POLLIN, 0}};
        ::poll(files, 2, kLookAgainMs);  // a closed one is -1, which poll passes over
        if (input_) write_some();
        read_some();
    }
    void read_some() {
        if (!output_) return;
        char bytes[1024];
        for (ssize_t count = 0; (count = ::read(output_.get(), bytes, sizeof bytes)) >= 0;) {
            if (count == 0) {
                output_ = Descriptor();
                return;
            }
            const std::size_t room = kLongestOutput - said_.size();
            said_.append(bytes, std::min(room, static_cast<std::size_t>(count)));
        }
    }
    const std::string& said() const { return said_; }

private:
    void write_some() {
        const ssize_t count = ::write(input_.get(), text_.data() + sent_, text_.size() - sent_);
        if (count > 0) sent_ += static_cast<std::size_t>(count);
        const bool may_go_on = count > 0 || errno == EAGAIN || errno == EINTR;
        if (sent_ == text_.size() || !may_go_on) input_ = Descriptor();
    }

    const std::string& text_;
    std::size_t sent_ = 0;
    Descriptor input_;
    Descriptor output_;
    std::string said_;
};

std::string reason_of(int status) {
    if (WIFSIGNALED(status)) return "the command was ended by signal " + std::to_string(WTERMSIG(status));
    return "the command ended with status " + std::to_string(WEXITSTATUS(status));
}

/// The exit status; killed, with its children, when the time is up.
int wait_for(pid_t child, Talk& talk, Clock::time_point deadline, bool& in_time) {
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
        if (Clock::now() >= deadline) {
            in_time = false;
            ::kill(-child, SIGKILL);
            ::waitpid(child, &status, 0);
            return status;
        }
        talk.go_on();
    }
    return status;
}

}  // namespace

ProgramEnd run_program(const std::vector<std::string>& command, const std::string& input,
                       std::chrono::milliseconds limit) {
    const NoBrokenPipe no_broken_pipe;
    Pipe into = make_pipe();
    Pipe from = make_pipe();
    pid_t child = 0;
    if (const int error = SpawnPlan(into, from).start(command, child); error != 0)
        return {.reason = "the command cannot be started: " + std::generic_category().message(error), .output = ""};
    into.out = Descriptor();
    from.in = Descriptor();
    Talk talk(input, std::move(into.in), std::move(from.out));
    bool in_time = true;
    const int status = wait_for(child, talk, Clock::now() + limit, in_time);
    talk.read_some();
    ProgramEnd end{
        .succeeded = in_time && WIFEXITED(status) && WEXITSTATUS(status) == 0, .reason = "", .output = talk.said()};
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(limit).count();
    if (!end.succeeded)
        end.reason = in_time ? reason_of(status) : "the command took longer than " + std::to_string(seconds) + " s";
    return end;
}

}  // namespace postern::os
