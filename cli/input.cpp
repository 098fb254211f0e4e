// Decides how secrets and claims are read, and which passwords can be used at all.
#include "cli/input.h"

#include <poll.h>
#include <signal.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <iostream>

#include "cli/command.h"
#include "crypto/password.h"
#include "json/reader.h"
#include "util/text.h"

namespace postern::cli {
namespace {

constexpr std::size_t kMaxInputBytes = 65536;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::string_view kZeroWidthSpace = "\xe2\x80\x8b";

volatile sig_atomic_t interrupted_by = 0;

/// Waits for input with the signal mask `unblocked`, set atomically so that no earlier signal is missed. False when a
/// signal arrived.
bool wait_for_input(const sigset_t& unblocked) {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    while (::ppoll(&input, 1, nullptr, &unblocked) < 0) {
        if (interrupted_by != 0 || errno != EINTR) return false;
    }
    return true;
}

/// Unbuffered, so that a second reader gets what follows the line. False at the end of the input.
bool read_byte(char& byte, const sigset_t* unblocked = nullptr) {
    if (unblocked && !wait_for_input(*unblocked)) return false;
    ssize_t count = 0;
    do {
        count = ::read(STDIN_FILENO, &byte, 1);
    } while (count < 0 && errno == EINTR);
    return count == 1;
}

/// False if the input is at its end. CR LF is a line end too.
bool read_line(std::string& line, const sigset_t* unblocked = nullptr) {
    line.reserve(kMaxInputBytes);  // never reallocated, so wiping the one buffer wipes all
    char byte = 0;
    bool any = false;
    while (read_byte(byte, unblocked)) {
        any = true;
        if (byte == '\n') break;
        if (line.size() == kMaxInputBytes) throw Refused("the line on standard input is longer than 65536 bytes");
        line += byte;
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return any;
}

/// Switches the terminal's echo off, and on again even after Ctrl-C at the prompt. Signals that end the program are
/// blocked except during the wait, and are raised again at the end.
class SilentTerminal {
public:
    SilentTerminal() {
        interrupted_by = 0;
        sigset_t held;
        sigemptyset(&held);
        struct sigaction action {};
        action.sa_handler = [](int number) { interrupted_by = number; };
        for (std::size_t i = 0; i < kSignals.size(); ++i) {
            sigaddset(&held, kSignals[i]);
            sigaction(kSignals[i], &action, &old_actions_[i]);
        }
        sigprocmask(SIG_BLOCK, &held, &old_mask_);
        tcgetattr(STDIN_FILENO, &old_settings_);
        termios silent = old_settings_;
        silent.c_lflag &= ~static_cast<tcflag_t>(ECHO);
        silent.c_lflag |= ECHONL;
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
    }
    SilentTerminal(const SilentTerminal&) = delete;
    SilentTerminal& operator=(const SilentTerminal&) = delete;
    ~SilentTerminal() {
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &old_settings_);
        for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_actions_[i], nullptr);
        if (interrupted_by != 0) raise(interrupted_by);
        sigprocmask(SIG_SETMASK, &old_mask_, nullptr);
    }

    const sigset_t& signals_while_waiting() const { return old_mask_; }

private:
    static constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    termios old_settings_{};
    sigset_t old_mask_{};
    std::array<struct sigaction, 4> old_actions_{};
};

util::Secret ask(const char* prompt) {
    const SilentTerminal silent;
    std::cerr << prompt << std::flush;
    std::string line;
    read_line(line, &silent.signals_while_waiting());
    return util::Secret(std::move(line));
}

/// Asks twice without echo.
util::Secret prompt_new_password() {
    if (isatty(STDIN_FILENO) == 0)
        throw UsageError("standard input is not a terminal; use --password-stdin and write the password as one line");
    util::Secret first = ask("Password: ");
    const util::Secret second = ask("Repeat the password: ");
    if (first.reveal() != second.reveal()) throw Refused("the two passwords differ; nothing was changed");
    return first;
}

}  // namespace

/// The login form refuses control bytes and text that is not UTF-8, so such a password could be set and never used.
const char* password_problem(std::string_view password) {
    switch (crypto::check_password(password)) {
        case crypto::PasswordFault::empty:
            return "the password is empty";
        case crypto::PasswordFault::too_long:
            return "the password is longer than 511 bytes";
        case crypto::PasswordFault::has_nul:
            return "the password contains a NUL byte";
        case crypto::PasswordFault::none:
            break;
    }
    if (!util::is_utf8(password)) return "the password is not UTF-8 text, so it could not be typed into the login form";
    if (password.ends_with('\r') || password.ends_with('\t'))
        return "the password ends with a carriage return or a tab, which was hardly meant; remove it";
    if (util::has_control_bytes(password))
        return "the password contains a control character, so it could not be typed into the login form";
    for (const std::string_view unseen : {kByteOrderMark, kZeroWidthSpace})
        if (password.starts_with(unseen) || password.ends_with(unseen))
            return "the password begins or ends with an invisible character (U+FEFF or U+200B), which cannot be typed "
                   "into the login form; remove it";
    return nullptr;
}

util::Secret read_secret_line(const char* what) {
    std::string line;
    if (!read_line(line))
        throw UsageError(std::string("standard input is empty; write the ") + what + " to it as one line");
    // A secret is never changed: what cannot be typed again later is refused.
    if (line.starts_with(kByteOrderMark)) {
        util::wipe(line);
        throw Refused(std::string("the ") + what +
                      " on standard input begins with a byte order mark (U+FEFF), as editors of Windows and PowerShell "
                      "write it; save it as UTF-8 without one");
    }
    return util::Secret(std::move(line));
}

json::Object read_json_object(const char* what) {
    std::string text;
    for (char byte = 0; read_byte(byte); text += byte) {
        if (text.size() == kMaxInputBytes)
            throw Refused(std::string("the ") + what + " on standard input are longer than 65536 bytes");
    }
    if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());  // editors of Windows write one
    const auto parsed = json::parse(text);
    if (!parsed) {
        throw Refused(std::string("the ") + what + " on standard input are not JSON: " + parsed.error().reason +
                      " (line " + std::to_string(parsed.error().line) + ", column " +
                      std::to_string(parsed.error().column) + ")");
    }
    const json::Object* object = parsed->if_object();
    if (!object)
        throw Refused(std::string("the ") + what +
                      " on standard input must be one JSON object, like {\"name\": \"Ada\"}");
    return *object;
}

util::Secret read_new_password(bool from_stdin) {
    util::Secret password = from_stdin ? read_secret_line("password") : prompt_new_password();
    if (const char* problem = password_problem(password.reveal())) throw Refused(problem);
    return password;
}

}  // namespace postern::cli
