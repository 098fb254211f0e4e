// Checks what a login by saslauthd needs: its socket, who can reach and replace that, and that it refuses.
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "cli/accounts.h"
#include "cli/doctor/findings.h"
#include "crypto/random.h"
#include "login/saslauthd.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

namespace fs = std::filesystem;

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

/// What stands in its place is given every password.
void check_directory(Findings& findings, const fs::path& directory) {
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0 || (status.st_mode & kOthersWrite) == 0) return;
    findings.error(kCheck,
                   directory.string() + " (mode " + octal(status.st_mode) +
                       "): every user of this machine can put a socket there, and would be told passwords",
                   util::ShellCommand("chmod o-w").path(directory.string()).text());
}

void ask(Findings& findings, const oauth::Saslauthd& saslauthd) {
    crypto::SystemRandom random;
    const std::string name = crypto::random_id(random);
    if (login::ask_saslauthd(saslauthd, name, util::Secret(crypto::random_token(random))))
        findings.error(kCheck, "a made-up name with a made-up password is accepted by saslauthd at " + saslauthd.socket,
                       "stop the web server now, then see MECHANISMS in /etc/default/saslauthd, and with PAM "
                       "/etc/pam.d/" +
                           saslauthd.service);
}

}  // namespace

void check_saslauthd(Findings& findings, const config::Config& config) {
    if (!config.settings.login.saslauthd) return;
    const oauth::Saslauthd& saslauthd = *config.settings.login.saslauthd;
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

}  // namespace postern::cli
