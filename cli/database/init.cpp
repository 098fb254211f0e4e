// `postern init`: makes the database, the keys and what stands beside them, and touches nothing that is there already.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/output.h"
#include "cli/owners.h"
#include "keys/key_directory.h"
#include "keys/keys.h"
#include "os/new_files.h"
#include "server/refusal_ring.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr mode_t kDatabaseDirectory = 02770;  // one group of all processes; what they make is of that group
constexpr mode_t kOwnerOnlyYet = 0600;
constexpr mode_t kRingMode = 0660;

bool is_there(const fs::path& path) {
    std::error_code error;
    const auto status = fs::symlink_status(path, error);
    if (fs::status_known(status)) return fs::exists(status);
    throw Refused(path.string() + " cannot be accessed (" + error.message() +
                  "); run this as root, or as the owner of its directory");
}

/// A log that another database left behind would be replayed into the new one, so it counts as one. The write
/// lock, the commit numbers and the ring may be there: a serving process that was started too early makes them.
void require_untouched(const config::Config& config) {
    std::vector<fs::path> there = key_files(config.keys);
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
        if (is_there(config.database + suffix)) there.emplace_back(config.database + suffix);
    }
    if (there.empty()) return;
    const bool lost_keys = is_there(config.database) && key_files(config.keys).empty();
    throw Refused(there.front().string() + " exists already and was not changed; " +
                  (lost_keys ? "if its keys are lost, `postern key repair` creates new ones; otherwise " : "") +
                  "name another place in the configuration, or move it away");
}

/// Directories that are there and empty, made for this by a package or by systemd-tmpfiles.
std::vector<fs::path> waiting_directories(const config::Config& config) {
    std::vector<fs::path> waiting;
    const fs::path keys = config.keys;
    const fs::path data = config.state_directory();
    const bool for_keys = fs::is_directory(keys) && entries_of(keys).empty();
    if (for_keys) waiting.push_back(keys);
    const auto other = [&](const fs::path& entry) { return !for_keys || !fs::equivalent(entry, keys); };
    if (fs::is_directory(data) && std::ranges::none_of(entries_of(data), other)) waiting.push_back(data);
    return waiting;
}

/// Directories of the database and of the keys, as far as they are missing.
void make_directories(const config::Config& config, mode_t key_directory, os::NewFiles& made) {
    make_directory(config.state_directory(), kDatabaseDirectory, made);
    make_directory(config.keys, key_directory, made);
}

/// Of several that begin at the same time, all but one are refused here, before any of them makes a file; and that one
/// needs the directories, its own and those of the others.
keys::KeyDirectory hold_keys(const config::Config& config, os::NewFiles& made) {
    try {
        return keys::KeyDirectory(config.keys);
    } catch (const keys::KeyError&) {
        made.keep();
        throw;
    }
}

void give_to(const Owner& owner, const os::NewFiles& made, const std::vector<fs::path>& waiting) {
    for (const std::string& path : made.paths()) give(path, owner);
    for (const fs::path& path : waiting) give(path, owner);
}

/// One may be there, of a process that started too early.
void make_ring(const std::string& path, os::NewFiles& made) {
    if (os::Descriptor file = os::make_file(path, kRingMode)) made.add(path, std::move(file));
    const server::RefusalRing ring(path);
}

void print_next_steps(const config::Config& config, const std::vector<keys::KeyInfo>& keys) {
    std::vector<std::string> kids;
    for (const keys::KeyInfo& key : keys) kids.push_back(std::string(crypto::to_string(key.algorithm)) + " " + key.kid);
    print_fields({{"database", config.database}, {"keys", config.keys}, {"signing with", join(kids, ", ")}});
    std::cout << "\nNext:\n"
                 "  postern user add NAME                            add a user who can log in\n"
                 "  postern client add ID --redirect-uri URI         register an application\n"
                 "  postern doctor                                   check the installation\n";
    struct stat directory {};
    const bool known = stat(config.state_directory().c_str(), &directory) == 0;
    if (geteuid() == 0 && known && directory.st_uid == 0 && directory.st_gid == 0) {
        print_note(
            "everything belongs to root, so a web server that runs as another user cannot read it; change the owner "
            "with `chown -R USER:GROUP` (next time: `postern init --owner USER:GROUP`)");
    }
}

void print_result(const Invocation& invocation, const config::Config& config) {
    const auto keys = keys::Keys::list(config.keys, util::SystemClock().now());
    if (!invocation.json) return print_next_steps(config, keys);
    json::Array array;
    for (const keys::KeyInfo& key : keys) {
        array.emplace_back(json::Object{{"kid", key.kid}, {"alg", std::string(crypto::to_string(key.algorithm))}});
    }
    print_json(
        json::Object{{"database", config.database}, {"keys_directory", config.keys}, {"keys", std::move(array)}});
}

void init(const Invocation& invocation, const OwnerOptions& options) {
    const config::Config config = invocation.load_config();
    const auto [new_owner, groups] = resolve(options);
    require_untouched(config);

    std::optional<keys::KeyDirectory> held;  // ends after `made`: what is removed is removed under the lock
    os::NewFiles made;
    make_directories(config, groups ? kDividedKeyDirectory : kKeyDirectory, made);
    held = hold_keys(config, made);
    require_untouched(config);  // another one may have been at work until now

    const auto waiting = waiting_directories(config);
    std::vector<crypto::Algorithm> algorithms = {config.settings.access_token_algorithm,
                                                 config.settings.id_token_algorithm};
    if (algorithms[0] == algorithms[1]) algorithms.pop_back();
    keys::Keys::create(made, config.keys, algorithms, util::SystemClock().now(), groups ? kOwnerOnlyYet : kGroupReads);
    const bool is_uri = db::is_uri(config.database);
    if (!is_uri) db::Database::create(made, config.database);
    make_ring(config.ring_path(), made);
    if (new_owner) give_to(*new_owner, made, waiting);
    if (groups) divide(*groups, config.keys);
    if (is_uri)
        db::Database::create(made, config.database);  // last: files are removed when it fails, and tables would stay
    made.keep();
    note_done(invocation, {{"file", config.database}});
    print_result(invocation, config);
}

}  // namespace

void add_init_command(const Command& app, Invocation& invocation) {
    auto owners = std::make_shared<OwnerOptions>();
    const Command command = add_command(
        app, invocation, "init", "Create the database, the signing keys and jwks.json where the configuration says",
        "postern init --owner www-data:www-data\n"
        "  postern init --owner root:postern --signers postern-sign --sealers postern-seal",
        [&invocation, owners] { init(invocation, *owners); });
    command.explain(
        "Each configured algorithm gets a key that signs at once. Missing directories are created. Existing files are "
        "never changed: if there is a database or a key, nothing is created, and it exits 1; if several are started at "
        "the same time, all but one exit 1. Run it as root with --owner, or as the user of the serving processes.\n"
        "With --signers and --sealers (both or neither), every user may enter the key directory (mode 0751), and the "
        "mode of each file says who may read it. Later commands keep owners, groups and modes.\n"
        "The configuration says where: \"database\" (" +
        config::Config().database + " unless it is given) and \"keys\" (" + config::Config().keys + ").");
    add_owner_options(command, *owners);
}

}  // namespace postern::cli
