// The password prompt, on a terminal of its own: asked twice, never echoed.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

#include "installation.h"

using namespace postern::test;

namespace {

/// What `descriptor` says until `wanted` has come, the other side has closed, or half a minute has passed.
std::string read_until(int descriptor, const std::string& wanted) {
    std::string text;
    std::array<char, 256> buffer{};
    pollfd waiting{descriptor, POLLIN, 0};
    while (!has(text, wanted) && ::poll(&waiting, 1, 30000) > 0) {
        const ssize_t count = ::read(descriptor, buffer.data(), buffer.size());
        if (count <= 0) break;
        text.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return text;
}

/// `postern user add NAME` with a terminal as standard input and a pipe as standard error.
class Prompted {
public:
    Prompted(const Installation& installation, const char* name) {
        terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        REQUIRE((terminal_ >= 0 && ::grantpt(terminal_) == 0 && ::unlockpt(terminal_) == 0));
        slave_ = ::open(::ptsname(terminal_), O_RDWR | O_NOCTTY | O_CLOEXEC);  // kept open: its settings are looked at
        std::array<int, 2> errors{};
        REQUIRE((slave_ >= 0 && ::pipe2(errors.data(), O_CLOEXEC) == 0));
        const std::string program = postern_program();
        const std::string config = installation.config_file().string();
        child_ = ::fork();
        if (child_ == 0) {
            ::dup2(slave_, 0);
            ::dup2(errors[1], 2);
            const int nowhere = ::open("/dev/null", O_WRONLY);
            ::dup2(nowhere, 1);
            ::execl(program.c_str(), "postern", "user", "add", name, "--config", config.c_str(), nullptr);
            ::_exit(127);
        }
        ::close(errors[1]);
        errors_ = errors[0];
    }
    Prompted(const Prompted&) = delete;
    Prompted& operator=(const Prompted&) = delete;
    ~Prompted() {
        if (child_ > 0) {
            ::kill(child_, SIGKILL);
            ::waitpid(child_, nullptr, 0);
        }
        for (const int descriptor : {terminal_, slave_, errors_}) ::close(descriptor);
    }

    void expect(const std::string& prompt) const { REQUIRE(has(read_until(errors_, prompt), prompt)); }
    void type(std::string_view text) const {
        REQUIRE(::write(terminal_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    void interrupt() const { ::kill(child_, SIGINT); }

    /// The wait status of the command, which must end.
    int finish() {
        read_until(errors_, "\x01 never said");
        pollfd ended{errors_, POLLIN, 0};
        REQUIRE(::poll(&ended, 1, 0) == 1);  // closed, rather than silent for half a minute
        int status = 0;
        ::waitpid(child_, &status, 0);
        child_ = -1;
        return status;
    }

    bool echoes() const {
        termios settings{};
        REQUIRE(::tcgetattr(slave_, &settings) == 0);
        return (settings.c_lflag & ECHO) != 0;
    }
    /// What somebody before the terminal has seen, up to `last`.
    std::string screen(const std::string& last) const { return read_until(terminal_, last); }

private:
    int terminal_ = -1, slave_ = -1, errors_ = -1;
    pid_t child_ = -1;
};

bool has_user(const Installation& installation, const char* name) {
    return installation.postern({"user", "show", name}).exit_code == 0;
}

}  // namespace

TEST_CASE("prompt: a password typed twice is taken, and is not seen on the terminal") {
    const Installation installation;
    Prompted prompted(installation, "ada");
    prompted.expect("Password: ");
    CHECK_FALSE(prompted.echoes());
    prompted.type("s3cret boats r3main\n");
    prompted.expect("Repeat the password: ");
    prompted.type("s3cret boats r3main\n");
    CHECK(prompted.finish() == 0);
    CHECK(prompted.echoes());
    CHECK(has_user(installation, "ada"));
    prompted.type("seen\n");  // echoed again, and so the end of what is to be read
    const std::string screen = prompted.screen("seen");
    CHECK(has(screen, "seen"));
    CHECK_FALSE(has(screen, "s3cret"));
}

TEST_CASE("prompt: two different answers are refused") {
    const Installation installation;
    Prompted prompted(installation, "ada");
    prompted.expect("Password: ");
    prompted.type("s3cret boats r3main\n");
    prompted.expect("Repeat the password: ");
    prompted.type("other boats remember\n");
    const int status = prompted.finish();
    CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 1));
    CHECK_FALSE(has_user(installation, "ada"));
}

TEST_CASE("prompt: an interrupt ends the command and leaves a terminal that echoes") {
    const Installation installation;
    Prompted prompted(installation, "ada");
    prompted.expect("Password: ");
    CHECK_FALSE(prompted.echoes());
    prompted.interrupt();
    const int status = prompted.finish();
    CHECK((WIFSIGNALED(status) && WTERMSIG(status) == SIGINT));
    CHECK(prompted.echoes());
    CHECK_FALSE(has_user(installation, "ada"));
}
