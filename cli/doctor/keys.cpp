// Checks owners, groups and modes of the files in the key directory.
#include <sys/stat.h>

#include "cli/accounts.h"
#include "cli/doctor/findings.h"
#include "cli/files.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCheck = "key files";

/// The serving processes only read here: a process that can write could replace the keys that signatures are checked
/// with.
void check_key_directory(Findings& findings, const fs::path& directory) {
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0) return;  // reported by check_keys
    const std::string what = directory.string() + " (mode " + octal(status.st_mode) + ")";
    const std::string fix = util::ShellCommand("chmod go-w").path(directory.string()).text();
    if ((status.st_mode & S_IWOTH) != 0) {
        findings.error(kCheck, what + ": every user of this machine can replace the keys", fix);
    } else if ((status.st_mode & S_IWGRP) != 0) {
        findings.warning(kCheck, what + ": every process of its group can replace the keys", fix);
    }
}

/// Applies the rules that hold whether or not the endpoints run as different users.
void check_key_file(Findings& findings, const fs::path& path, const struct stat& status) {
    const mode_t refused = path.filename() == "jwks.json" ? kOthersWrite : kOthers;
    if (!S_ISREG(status.st_mode)) {
        findings.error(kCheck, path.string() + " is not a regular file", "put the file itself there");
    } else if ((status.st_mode & refused) != 0) {
        findings.error(
            kCheck, path.string() + " is accessible to every user of this machine (mode " + octal(status.st_mode) + ")",
            (refused == kOthers ? util::ShellCommand("chmod o-rwx") : util::ShellCommand("chmod o-w"))
                    .path(path.string())
                    .text() +
                "; if other people have accounts here, replace the keys with `postern key rotate --stolen`");
    }
}

/// If each endpoint runs as its own user, a private file belongs to the group of its readers, not to the common group.
class DividedKeys {
public:
    DividedKeys(Findings& findings, const config::Config& config, const KeyGroups& groups)
        : findings_(findings), groups_(groups) {
        struct stat status {};
        if (stat(directory_of(config.database).c_str(), &status) == 0) common_group_ = status.st_gid;
        if (stat(config.keys.c_str(), &status) == 0) owner_ = status.st_uid;
    }

    void check(const fs::path& path, const struct stat& status) {
        const gid_t meant = groups_.readers_of(path);
        const std::string group = "the group " + group_name(status.st_gid);
        if (status.st_uid != 0 && status.st_uid != owner_) {
            findings_.error(kCheck, path.string() + " belongs to the user " + user_name(status.st_uid),
                            util::ShellCommand("chown")
                                    .option("--reference=", path.parent_path().string())
                                    .path(path.string())
                                    .text() +
                                ", then " + fix(path, meant));
        } else if (status.st_gid == common_group_) {
            findings_.error(kCheck, path.string() + " has " + group + ", which every endpoint is in", fix(path, meant));
        } else if (path.filename() == "factor.key" && status.st_gid == groups_.signers) {
            findings_.error(kCheck, path.string() + " has " + group + ", which is that of the signing keys",
                            fix(path, groups_.sealers));
        } else if (status.st_gid != meant) {
            findings_.error(kCheck,
                            path.string() + " has " + group + ", but other signing keys have " + group_name(meant),
                            fix(path, meant));
        } else if ((status.st_mode & (S_IRGRP | S_IWGRP)) != S_IRGRP) {
            findings_.error(kCheck,
                            path.string() + " must be readable but not writable for " + group + " (mode " +
                                octal(status.st_mode) + ")",
                            util::ShellCommand("chmod 0640").path(path.string()).text());
        }
    }

private:
    std::string fix(const fs::path& path, gid_t meant) const {
        const bool known = meant != common_group_;
        const std::string readers = path.extension() == ".pem" ? "token"
                                    : path.filename() == "factor.key"
                                        ? "login and account"
                                        : "authorize, login, scopes, logout, account and recover";
        return util::ShellCommand("chgrp")
                   .value(known ? group_name(meant) : "GROUP")
                   .path(path.string())
                   .words("; chmod 0640")
                   .path(path.string())
                   .text() +
               (known ? "" : " (a group that only the users of " + readers + " are in)");
    }

    Findings& findings_;
    KeyGroups groups_;
    std::optional<gid_t> common_group_;
    std::optional<uid_t> owner_;
};

/// The systemd units mount the data directory so that no endpoint can replace the key directory in it. Without the
/// units, a process that can write the parent directory can.
void check_surroundings(Findings& findings, const config::Config& config) {
    struct stat status {};
    const fs::path around = directory_of(config.keys);
    if (fs::exists("/run/systemd/system") || stat(around.c_str(), &status) != 0 || (status.st_mode & S_IWGRP) == 0)
        return;
    findings.warning(kCheck,
                     "every process of the group " + group_name(status.st_gid) + " can replace " + config.keys +
                         ", because it can write " + around.string() + " and no systemd unit here prevents it",
                     "move the keys to a directory whose parent only root can write, such as /etc/postern/keys, and "
                     "set \"keys\" in the configuration");
}

/// A key directory that belongs to root and that every user may enter is meant for divided keys.
void check_undivided(Findings& findings, const std::string& directory) {
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0 || status.st_uid != 0 || status.st_gid == 0) return;
    if ((status.st_mode & S_IXOTH) == 0) return;
    findings.warning(
        kCheck,
        directory + " is set up for endpoints that run as different users, but every member of the group " +
            group_name(status.st_gid) + " can read every key",
        util::ShellCommand("cd")
                .path(directory)
                .words("&& chgrp postern-sign *.pem && chgrp postern-seal seal.key && chgrp postern-factor factor.key")
                .text() +
            ", as `postern init --signers --sealers --factors` does; or, where all endpoints run as one user, " +
            util::ShellCommand("chmod 0750").path(directory).text());
}

}  // namespace

void check_key_files(Findings& findings, const config::Config& config) {
    if (!can_list(findings, kCheck, config.keys)) return;
    check_key_directory(findings, config.keys);
    const auto groups = key_groups(config.keys);
    std::optional<DividedKeys> divided;
    if (groups) divided.emplace(findings, config, *groups);
    for (const fs::path& path : key_files(config.keys)) {
        struct stat status {};
        if (lstat(path.c_str(), &status) != 0) continue;
        check_key_file(findings, path, status);
        if (divided && path.filename() != "jwks.json") divided->check(path, status);
    }
    if (groups) check_surroundings(findings, config);
    if (!groups && !private_files(config.keys).empty()) check_undivided(findings, config.keys);
    findings.ok_unless_found(kCheck, groups ? "only " + group_name(groups->signers) +
                                                  " can read the signing keys, and only " +
                                                  group_name(groups->sealers) + " seal.key"
                                            : "private keys are not accessible to other users");
}

}  // namespace postern::cli
