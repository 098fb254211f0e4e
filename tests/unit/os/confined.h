// Runs attempts in a child process that has given up rights, because a process cannot take them back.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace postern::test {

/// 0, or errno.
inline int errno_of(long result) { return result < 0 ? errno : 0; }

/// 0, or errno of opening `path`, which is closed again.
inline int errno_of_open(const std::string& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
    const int result = errno_of(descriptor);
    if (descriptor >= 0) ::close(descriptor);
    return result;
}

struct Confined {
    std::string refusal;       ///< what `confine` threw; "" when it returned
    std::vector<int> results;  ///< of each attempt; none after a refusal, fewer if the process was killed
    int signal = 0;            ///< that killed the process; 0: none
};

/// Returns the results of `attempts` in a child process, after `confine` in the same process.
inline Confined run_confined(const std::function<void()>& confine, const std::vector<std::function<int()>>& attempts) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    const pid_t child = ::fork();
    if (child < 0) throw std::runtime_error("fork failed");
    if (child == 0) {
        const auto tell = [&](const std::string& line) {
            if (::write(ends[1], line.data(), line.size()) != static_cast<ssize_t>(line.size())) ::_exit(1);
        };
        try {
            confine();
        } catch (const std::exception& error) {
            tell(std::string("refused ") + error.what() + "\n");
            ::_exit(0);
        }
        for (const auto& attempt : attempts) tell(std::to_string(attempt()) + "\n");
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string text;
    char part[4096];
    for (ssize_t size = 0; (size = ::read(ends[0], part, sizeof part)) > 0;)
        text.append(part, static_cast<std::size_t>(size));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);

    Confined confined;
    confined.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("refused "))
            confined.refusal = line.substr(8);
        else
            confined.results.push_back(std::stoi(line));
    }
    return confined;
}

}  // namespace postern::test
