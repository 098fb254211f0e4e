// `postern key repair`: creates missing key files, and changes no existing file.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <thread>

#include "cli/audit.h"
#include "cli/files.h"
#include "cli/key/key.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "keys/key_directory.h"
#include "os/file.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

using keys::KeyInfo;
using keys::KeyState;

/// In a new directory there are no files whose owners could be copied. If its parent belongs to root and to a group, as
/// with the systemd units, only the operator knows the right owners.
void require_owner(const config::Config& config, const Owners& owners) {
    if (owners.all || owners.groups) return;
    struct stat parent {};
    if (stat(directory_of(config.keys).c_str(), &parent) != 0 || parent.st_uid != 0 || parent.st_gid == 0) return;
    throw Refused(config.keys + " is missing, so it is not known who may read the new keys; give --owner, as for " +
                  "`postern init`, and also --signers and --sealers where each endpoint has its own user (root:" +
                  group_name(parent.st_gid) + ", postern-sign, postern-seal)");
}

/// True if it had to be created.
bool make_key_directory(const config::Config& config, const Owners& owners) {
    std::error_code unknown;
    if (fs::is_symlink(fs::symlink_status(config.keys, unknown)) && !fs::exists(config.keys, unknown) && !unknown)
        throw Refused(config.keys + " is a symbolic link to " +
                      in_quotes(fs::read_symlink(config.keys, unknown).string()) +
                      ", which does not exist; mount or create that directory, or remove the link");
    if (fs::exists(fs::symlink_status(config.keys, unknown))) return false;
    require_owner(config, owners);
    if (os::make_directory(config.keys, owners.groups ? kDividedKeyDirectory : kKeyDirectory)) return true;
    throw Refused("cannot create the directory " + config.keys + ": " + std::strerror(errno));
}

/// Refuses if an algorithm has only waiting keys: the clock is wrong now, or was when they were created.
void require_active(const keys::KeyDirectory& directory, const oauth::Settings& settings) {
    const util::Time now = util::SystemClock().now();
    const auto keys = directory.list(now);
    for (const crypto::Algorithm algorithm : algorithms_in_use(settings)) {
        const auto in = [&](KeyState state) {
            return std::ranges::find_if(
                keys, [&](const KeyInfo& key) { return key.algorithm == algorithm && key.state == state; });
        };
        const auto next = in(KeyState::next);
        if (in(KeyState::active) != keys.end() || next == keys.end()) continue;
        throw Refused("the " + std::string(crypto::to_string(algorithm)) + " key " + next->kid +
                      " exists and signs from " + to_text(next->signs_from) + " on, but the clock says " +
                      to_text(now) +
                      "; correct the clock, or replace the key with `postern key rotate --force` if it was created "
                      "while the clock was wrong");
    }
}

json::Value to_json(const keys::Restored& restored) {
    return json::Object{{"jwks.json", restored.published.has_value()},
                        {"seal.key", restored.seal},
                        {"factor.key", restored.factors},
                        {"keys", json::array_of(restored.keys, name_and_algorithm)}};
}

bool made_something(const keys::Restored& restored) {
    return restored.published || restored.seal || restored.factors || !restored.keys.empty();
}

void print(const keys::Restored& restored) {
    if (restored.published)
        std::cout << "jwks.json was rebuilt from "
                  << counted(static_cast<std::int64_t>(*restored.published), "private key") << '\n';
    if (restored.seal) std::cout << "seal.key is new\n";
    if (restored.factors) std::cout << "factor.key is new\n";
    for (const KeyInfo& key : restored.keys)
        std::cout << "the " << crypto::to_string(key.algorithm) << " key " << key.kid << " is new and signs\n";
    if (!made_something(restored)) std::cout << "nothing is missing\n";
}

/// Throws if an existing file is unusable; it is not changed. A user who may not read all files cannot check this.
void require_usable(const std::string& directory) {
    for (const fs::path& file : private_files(directory))
        if (::faccessat(AT_FDCWD, file.c_str(), R_OK, AT_EACCESS) != 0) return;
    const keys::Keys usable(directory, keys::KeyUse::sign, true, true);
}

/// A new key signs one second later than another key of its algorithm that was created in the same second.
void wait_for(const std::vector<KeyInfo>& keys) {
    for (const KeyInfo& key : keys) {
        for (int tries = 0; now() < key.signs_from && tries < 100; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
}

void repair(const Invocation& invocation, const OwnerOptions& options) {
    const config::Config config = invocation.load_config();
    const Owners owners = resolve(options);
    const auto before = key_files(config.keys);
    const bool is_new = make_key_directory(config, owners);
    keys::KeyDirectory directory(config.keys);
    keys::Restored restored;
    SharedKeys(config, directory).change([&] {
        restored = directory.restore(algorithms_in_use(config.settings), util::SystemClock());
        if (restored.published) note_done(invocation, {{"file", config.keys + "/jwks.json"}});
        for (const KeyInfo& key : restored.keys) note_key(invocation, audit::Event::key_rotated, key);
        if (restored.seal) note(invocation, audit::Event::seal_renewed, {});
        if (restored.factors) note_done(invocation, {{"file", config.keys + "/factor.key"}});
    });
    if (owners.all) {
        if (is_new || before.empty()) give(config.keys, *owners.all);
        for (const fs::path& file : key_files(config.keys))
            if (std::ranges::find(before, file) == before.end()) give(file, *owners.all);
    }
    if (owners.groups) divide(*owners.groups, config.keys);
    note_closed_files(config.keys);
    const auto tell = [&] {
        if (invocation.json) return print_json(to_json(restored));
        print(restored);
    };
    try {
        require_usable(config.keys);
        require_active(directory, config.settings);
    } catch (...) {
        if (made_something(restored)) tell();  // they were created all the same
        throw;
    }
    wait_for(restored.keys);
    tell();
}

}  // namespace

void add_repair_command(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<OwnerOptions>(
        group, invocation, "repair",
        "Create missing key files: a signing key, jwks.json, seal.key, factor.key or all of them",
        "postern key repair\n"
        "  postern key repair --owner www-data:www-data\n"
        "      when the whole directory is gone",
        repair);
    command.explain(
        "For files that were lost and are in no backup. jwks.json is rebuilt from the private keys. Each algorithm in "
        "use without a private key gets one that signs at once; tokens of the lost key verify as long as jwks.json "
        "has its public half. A new seal.key ends logins and consents in progress, not sessions. Secrets of "
        "authenticator apps and recovery codes do not open with a new factor.key: `postern user factors NAME --remove "
        "all` lets a user start again. Existing files are not changed: move a damaged file elsewhere first. If the "
        "whole directory was lost, every token becomes invalid, and the serving processes have to be restarted.\n"
        "Where nodes share their keys, the directory is first made what it is on the others.\n"
        "New files get the owner, group and mode of the files next to them; the options set them where there are "
        "none. Where `postern publish` is used, run it again.");
    add_owner_options(command, options);
}

}  // namespace postern::cli
