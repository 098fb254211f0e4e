// Checks owners, groups and modes of the files in the key directory, and that the nodes of an installation have the
// same keys and the same time.
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/doctor/findings.h"
#include "cli/files.h"
#include "cli/output.h"
#include "db/maintenance.h"
#include "keys/keys.h"
#include "keys/shared_keys.h"
#include "store/shared_keys.h"
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
        if (stat(config.state_directory().c_str(), &status) == 0) common_group_ = status.st_gid;
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

constexpr const char* kShared = "shared keys";
constexpr std::chrono::seconds kWait{2};
constexpr const char* kSyncFix = "run `postern key sync` there, and see why its timer does not";

/// Compares the keys of this node with the shared ones. Throws KeyError.
void check_own(Findings& findings, const config::Config& config, const store::SealedKeys& shared) {
    const keys::Generation own = keys::read_generation(config.keys);
    if (shared.generation < own.number) {
        findings.error(kShared,
                       "the database has generation " + std::to_string(shared.generation) +
                           " of the keys, and this node generation " + std::to_string(own.number) +
                           ": an older database was restored",
                       "`postern key share` keeps the keys of this node; `postern key sync --accept-older` takes the "
                       "older ones");
    } else if (own.is_changing) {
        findings.error(kShared, "a change of the keys of this node did not reach the other nodes",
                       "run `postern key share`");
    } else if (own.number < shared.generation) {
        findings.warning(kShared,
                         "this node has generation " + std::to_string(own.number) + " of the keys, the database " +
                             std::to_string(shared.generation),
                         "run `postern key sync`, each minute by a timer");
    }
}

/// Needs the rights of the owner of transport.key.
void check_content(Findings& findings, const config::Config& config, const store::SealedKeys& shared) {
    const auto files = keys::open_files(keys::read_transport_key(config.keys), shared.generation, shared.files);
    if (!files && files.error() == keys::SealFault::other_set) {
        return findings.error(kShared, "a row of key_files is missing, added or exchanged since the set was sealed",
                              "run `postern key share` on a node whose keys are right, and find out who can write to "
                              "the database");
    }
    if (!files) {
        return findings.error(kShared, config.keys + "/transport.key does not open the keys in the database",
                              "run `postern key sync`; if it refuses, copy that file from another node");
    }
    const bool is_same = keys::are_same(keys::read_key_files(config.keys), *files);
    if (!is_same && keys::read_generation(config.keys).number == shared.generation)
        findings.warning(kShared, config.keys + " differs from what the other nodes have", "run `postern key sync`");
}

void check_node(Findings& findings, const store::KeyNode& node, std::int64_t generation) {
    const std::string name = "node " + in_quotes(node.node);
    if (node.unseen_for > store::kLongUnseen) {
        findings.warning(kShared, name + " was last seen at " + to_text(node.seen_at),
                         std::string(kSyncFix)
                             .append("; if it will not come back, ")
                             .append(util::ShellCommand("postern key nodes").option("--forget=", node.node).quoted()));
    } else if (node.generation < generation) {
        findings.warning(kShared,
                         name + " has generation " + std::to_string(node.generation) + " of the keys, the database " +
                             std::to_string(generation),
                         kSyncFix);
    }
    if (std::chrono::abs(node.clock_offset) > db::kClockWarning) {
        findings.warning(kShared,
                         "the clock of " + name + " differs from the database's by " +
                             std::to_string(node.clock_offset.count()) + " ms",
                         "let NTP set both");
    }
}

void check_sharing(Findings& findings, const config::Config& config) {
    db::Database database(config.database, db::Access::query_only, kWait);
    const store::SealedKeys shared = store::find_sealed_keys(database);
    const bool has_transport = keys::has_transport_key(config.keys);
    if (shared.generation == 0 && !has_transport) return;  // configuration management copies the keys, or nothing does
    if (!has_transport) {
        return findings.warning(kShared, "the nodes share their keys, and " + config.keys + "/transport.key is missing",
                                "copy that file from another node, with mode 0600, and run `postern key sync`; or end "
                                "the sharing with `postern key share --stop`");
    }
    check_own(findings, config, shared);
    const bool may_read = ::access((config.keys + "/transport.key").c_str(), R_OK) == 0;
    if (shared.generation != 0 && may_read) check_content(findings, config, shared);
    for (const store::KeyNode& node : store::list_key_nodes(database)) check_node(findings, node, shared.generation);
    findings.ok_unless_found(kShared, "generation " + std::to_string(shared.generation));
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

void check_shared_keys(Findings& findings, const config::Config& config) {
    if (!db::is_uri(config.database)) return;
    try {
        check_sharing(findings, config);
    } catch (const db::StoreError&) {
        return;  // reported by check_database
    } catch (const keys::KeyError& error) {
        findings.error(kShared, error.what(), kAsSaid);
    }
}

}  // namespace postern::cli
