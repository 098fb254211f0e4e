// Files and processes of a test, and what an action throws. Of no room, so that tests of every room include it.
#pragma once

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "util/clock.h"

namespace postern::test {

using util::Seconds;
using util::Time;
inline constexpr Time kNow{Seconds{1'000'000}};

/// Removed with everything in it.
class TemporaryDirectory {
public:
    TemporaryDirectory() {
        std::string name = (std::filesystem::temp_directory_path() / "postern-test-XXXXXX").string();
        if (!::mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed");
        path_ = name;
    }
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

private:
    std::string path_;
};

inline unsigned mode_of(const std::string& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0U;
}

inline std::string read_file(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

inline void write_file(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

/// The exit code of `action` in a process of its own. The caller must not have a database open that `action` uses.
template <class Action>
pid_t start_child(Action action) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    int code = 99;
    try {
        code = action();
    } catch (...) {
    }
    ::_exit(code);
}

inline int exit_code_of(pid_t child) {
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The message of the exception of type E that `action` throws; "" when it throws none.
template <class E, class Action>
std::string refusal(Action action) {
    try {
        action();
    } catch (const E& error) {
        return error.what();
    }
    return "";
}

inline bool mentions(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace postern::test
