// `postern init`: makes the database, the keys and what stands beside them, and touches nothing that is there already.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/files.h"
#include "cli/key/key.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "keys/key_directory.h"
#include "keys/keys.h"
#include "os/file.h"
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
    if (keys::has_transport_key(config.keys)) there.emplace_back(config.keys + "/transport.key");
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
    auto in_keys = entries_of(keys);
    in_keys.erase(keys / "transport.key");  // the operator has carried it here
    const bool for_keys = fs::is_directory(keys) && in_keys.empty();
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

/// Locks the key directory. Of several runs at the same time this refuses all but one, before any of them makes a file;
/// the directories stay, because that one needs them.
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
    const auto keys = keys::Keys::list(config.keys, now());
    if (!invocation.json) return print_next_steps(config, keys);
    print_json(json::Object{{"database", config.database},
                            {"keys_directory", config.keys},
                            {"keys", json::array_of(keys, name_and_algorithm)}});
}

/// The files of an `init` under way: all of them are removed unless it ends well.
struct Making {
    Making(const config::Config& configuration, const Owners& new_owners) : config(configuration), owners(new_owners) {
        make_directories(config, owners.groups ? kDividedKeyDirectory : kKeyDirectory, made);
        held = hold_keys(config, made);
        waiting = waiting_directories(config);
    }

    /// After the keys.
    void finish_files() {
        make_ring(config.ring_path(), made);
        if (owners.all) give_to(*owners.all, made, waiting);
        if (owners.groups) divide(*owners.groups, config.keys);
    }

    const config::Config& config;
    const Owners& owners;
    std::optional<keys::KeyDirectory> held;  // ends after `made`: what is removed is removed under the lock
    os::NewFiles made;
    std::vector<fs::path> waiting;
};

/// The tables are there from now on, so a failure is mended by a command of its own.
void share(const config::Config& config, const keys::KeyDirectory& directory) {
    try {
        share_keys(config, directory, {});
    } catch (const std::exception& error) {
        print_note(std::string("the keys are not in the database for other nodes (") + error.what() +
                   "); run `postern key share`");
    }
}

/// Returns what is to be reported in the end when the tables are there, but a standby may lack them: the keys stay with
/// the tables. When it is unknown whether they are there, it throws, and `init` may be run again.
std::exception_ptr make_tables(os::NewFiles& made, const config::Config& config) {
    try {
        db::Database::create(made, config.database);
    } catch (const db::CommitUnknown&) {
        throw;
    } catch (const db::StoreUnsynced&) {
        return std::current_exception();
    }
    return nullptr;
}

void init(const Invocation& invocation, const OwnerOptions& options) {
    const config::Config config = invocation.load_config();
    const Owners owners = resolve(options);
    require_untouched(config);

    Making making(config, owners);
    require_untouched(config);  // another one may have been at work until now

    std::vector<crypto::Algorithm> algorithms = config.settings.id_token_algorithms;
    algorithms.push_back(config.settings.token_algorithm(model::TokenProfile::interface));  // perhaps a second time
    keys::Keys::create(making.made, config.keys, algorithms, now(), owners.groups ? kOwnerOnlyYet : kGroupReads);
    const bool is_uri = db::is_uri(config.database);
    if (!is_uri) db::Database::create(making.made, config.database);
    making.finish_files();
    std::exception_ptr unsynced;
    if (is_uri) unsynced = make_tables(making.made, config);  // last: files are removed when it fails
    making.made.keep();
    if (is_uri) share(config, *making.held);
    note_done(invocation, {{"file", config.database}});
    print_result(invocation, config);
    if (unsynced) std::rethrow_exception(unsynced);
}

/// A name that is in use would hide one of two nodes from the others.
void require_free_name(const config::Config& config) {
    constexpr util::Seconds kInUse{180};
    if (config.node.empty()) throw UsageError("\"node\" is not set in the configuration: give this node a name");
    db::Database database = open_database(config, db::Access::query_only);
    for (const store::KeyNode& node : store::list_key_nodes(database)) {
        if (node.node != config.node || node.unseen_for > kInUse) continue;
        throw Refused("node " + in_quotes(config.node) + " was seen " + std::to_string(node.unseen_for.count()) +
                      " seconds ago: give this node another name, or wait three minutes if it replaces that node");
    }
}

void join(const Invocation& invocation, const OwnerOptions& options) {
    const config::Config config = invocation.load_config();
    require_server(config);
    const Owners owners = resolve(options);
    if (!key_files(config.keys).empty())
        throw Refused(config.keys + " has keys already and was not changed; `postern key sync` updates it");
    keys::read_transport_key(config.keys);  // the directory is there, with what the operator has carried to it
    require_free_name(config);

    Making making(config, owners);
    take_shared_keys(config, *making.held, false);
    for (const fs::path& file : key_files(config.keys)) making.made.add(file);
    making.finish_files();
    making.made.keep();
    note_done(invocation, {{"file", config.keys}});
    print_result(invocation, config);
}

}  // namespace

void add_init_command(const Command& app, Invocation& invocation) {
    struct Options {
        OwnerOptions owners;
        bool join = false;
    };
    auto options = std::make_shared<Options>();
    const Command command = add_command(
        app, invocation, "init", "Create the database, the signing keys and jwks.json where the configuration says",
        "postern init --owner www-data:www-data\n"
        "  postern init --owner root:postern --signers postern-sign --sealers postern-seal\n"
        "  postern init --join --owner www-data:www-data\n"
        "      on each further node of a PostgreSQL database",
        [&invocation, options] {
            if (options->join) return join(invocation, options->owners);
            init(invocation, options->owners);
        });
    command.explain(
        "Each configured algorithm gets a key that signs at once. Missing directories are created. Existing files are "
        "never changed: if there is a database or a key, nothing is created, and it exits 1; if several are started at "
        "the same time, all but one exit 1. Run it as root with --owner, or as the user of the serving processes.\n"
        "With --signers and --sealers (both or neither), every user may enter the key directory (mode 0751), and the "
        "mode of each file says who may read it. Later commands keep owners, groups and modes.\n"
        "For a database on a server it also makes transport.key, and puts the keys into the database, sealed with it. "
        "With --join it takes them from there and makes no table: carry transport.key into the key directory first, "
        "and set \"node\".\n"
        "The configuration says where: \"database\" (" +
        config::Config().database + " unless it is given) and \"keys\" (" + config::Config().keys + ").");
    add_owner_options(command, options->owners);
    command.flag("--join", options->join, "Take over the keys of the other nodes, from the database");
}

}  // namespace postern::cli
