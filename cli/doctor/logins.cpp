// Checks what logins need beside the database: saslauthd, and the list by which new passwords are judged.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "cli/doctor/findings.h"
#include "cli/files.h"
#include "cli/output.h"
#include "crypto/random.h"
#include "factor/password_list.h"
#include "factor/password_quality.h"
#include "login/saslauthd.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCheck = "saslauthd";
constexpr const char* kLoginUser = "postern-login";  // of examples/systemd

/// Whether the mode lets the user do what is asked for, one of the bits of others: 4, 2, 1.
bool may(const std::string& user, const struct stat& status, mode_t wanted) {
    if (user_id(user) == status.st_uid) return (status.st_mode >> 6 & wanted) == wanted;
    if (is_member(user, status.st_gid)) return (status.st_mode >> 3 & wanted) == wanted;
    return (status.st_mode & wanted) == wanted;
}

/// The directory or socket at which the user's way ends; "" when it leads to the socket.
std::string end_of_way(const std::string& user, const fs::path& socket) {
    fs::path at;
    for (const fs::path& part : socket) {
        at /= part;
        struct stat status {};
        const mode_t wanted = at == socket ? 02 : 01;  // connect(2) writes, directories are passed through
        if (stat(at.c_str(), &status) != 0 || !may(user, status, wanted)) return at;
    }
    return "";
}

/// Only with users of our own is it known who asks.
void check_way(Findings& findings, const fs::path& socket) {
    const std::string user = kLoginUser;
    if (!user_id(user)) return;
    const std::string end = end_of_way(user, socket);
    if (end.empty()) return;
    struct stat status {};
    const std::string group = stat(end.c_str(), &status) == 0 ? group_name(status.st_gid) : "sasl";
    findings.warning(
        kCheck, user + " cannot pass " + end + ", so no login reaches saslauthd",
        util::ShellCommand("adduser").value(user).value(group).text() + ", then restart the login processes");
}

/// Reports a directory that others may write: a socket put there would be given every password.
void check_directory(Findings& findings, const fs::path& directory) {
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0 || (status.st_mode & kOthersWrite) == 0) return;
    findings.error(kCheck,
                   directory.string() + " (mode " + octal(status.st_mode) +
                       "): every user of this machine can put a socket there, and would be told passwords",
                   util::ShellCommand("chmod o-w").path(directory.string()).text());
}

void ask(Findings& findings, const login::Saslauthd& saslauthd) {
    crypto::SystemRandom random;
    const std::string name = crypto::random_id(random);
    if (login::ask_saslauthd(saslauthd, name, util::Secret(crypto::random_token(random))))
        findings.error(kCheck, "a made-up name with a made-up password is accepted by saslauthd at " + saslauthd.socket,
                       "stop the web server now, then see MECHANISMS in /etc/default/saslauthd, and with PAM "
                       "/etc/pam.d/" +
                           saslauthd.service);
}

constexpr const char* kPasswords = "passwords";
constexpr std::uint64_t kSamples = 1000;

void check_strength(Findings& findings, const login::Settings& login) {
    if (login.password_min_strength == 0 || factor::estimates_password_strength()) return;
    findings.warning(
        kPasswords, "this build was made without libzxcvbn: login.passwordMinStrength is not looked at",
        "build with libzxcvbn-dev installed and not static, or say \"login\": {\"passwordMinStrength\": 0}");
}

/// Pairs of neighbours over the whole list, and each pair with the next one.
bool is_sorted(const factor::PasswordList& list) {
    if (list.size() < 2) return true;
    const std::uint64_t pairs = list.size() - 1;
    const std::uint64_t samples = std::min(pairs, kSamples);
    factor::PasswordEntry before = list.at(0);
    for (std::uint64_t i = 0; i < samples; ++i) {
        // Without an overflow: a list has fewer entries than 2^61.
        const std::uint64_t index = pairs / samples * i + pairs % samples * i / samples;
        const factor::PasswordEntry entry = list.at(index);
        const factor::PasswordEntry next = list.at(index + 1);
        if (entry < before || next <= entry) return false;
        before = entry;
    }
    return list.at(pairs) >= before;
}

void check_list(Findings& findings, const std::string& file) {
    constexpr const char* kMakeAgain = "make it again with `postern passwords build`";
    try {
        const factor::PasswordList list(file);
        if (!is_sorted(list))
            return findings.error(kPasswords, file + " is not a list in order, so passwords in it are not found",
                                  kMakeAgain);
        if (list.size() == 0) return findings.warning(kPasswords, file + " has no password", kMakeAgain);
        findings.ok(kPasswords, file + " has " + counted(static_cast<std::int64_t>(list.size()), "password"));
    } catch (const std::runtime_error& error) {
        findings.error(kPasswords, std::string(error.what()) + "; account and recover do not start", kMakeAgain);
    }
}

}  // namespace

void check_saslauthd(Findings& findings, const config::Config& config) {
    if (!config.settings.login.saslauthd) return;
    const login::Saslauthd& saslauthd = *config.settings.login.saslauthd;
    struct stat status {};
    if (const int error = stat(saslauthd.socket.c_str(), &status) == 0 ? 0 : errno; error != 0)
        return findings.error(
            kCheck, saslauthd.socket + ": " + std::strerror(error),
            error == EACCES ? "run this as the user of the login processes; if you did, put that user into the group "
                              "of the directory (Debian: sasl)"
                            : "start saslauthd, or name its socket as \"socket\" in login.saslauthd");
    if (!S_ISSOCK(status.st_mode))
        return findings.error(kCheck, saslauthd.socket + " is not a socket",
                              "name saslauthd's as \"socket\" in login.saslauthd");
    check_directory(findings, fs::path(saslauthd.socket).parent_path());
    check_way(findings, saslauthd.socket);
    try {
        ask(findings, saslauthd);
    } catch (const login::SaslauthdError& error) {
        findings.error(kCheck, error.what(),
                       "see whether saslauthd runs and this user may connect to its socket; testsaslauthd asks too");
    }
    findings.ok_unless_found(kCheck, saslauthd.socket + ", of " + user_name(status.st_uid) +
                                         ", refuses a made-up name with a made-up password");
}

void check_passwords(Findings& findings, const login::Settings& login) {
    check_strength(findings, login);
    if (login.password_blocklist) check_list(findings, *login.password_blocklist);
}

}  // namespace postern::cli
