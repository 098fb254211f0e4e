// Files of the installation: whose they are, by the accounts of this machine, and who may read them.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "config/config.h"

namespace postern::os {
class NewFiles;
}

namespace postern::cli {

std::optional<uid_t> user_id(const std::string& name);
/// Returns false for a user that does not exist.
bool is_member(const std::string& user, gid_t group);
std::string user_name(uid_t id);  ///< the number when it has no name
std::string group_name(gid_t id);

struct Owner {
    uid_t user = 0;
    gid_t group = 0;
};

/// Returns the directory of a file; "." for a bare name.
std::filesystem::path directory_of(const std::filesystem::path& file);
/// Returns the existing files of the database: itself, its side files, the ring.
std::vector<std::filesystem::path> side_files(const config::Config& config);

/// Returns the existing private keys, jwks.json, seal.key and factor.key.
std::vector<std::filesystem::path> key_files(const std::filesystem::path& directory);

/// The groups that divide the private keys among the processes: one for signing keys, another one for seal.key, and one
/// for factor.key, which may be that of seal.key.
struct KeyGroups {
    gid_t signers = 0;
    gid_t sealers = 0;
    gid_t factors = 0;

    /// Returns the group of a private file.
    gid_t readers_of(const std::filesystem::path& file) const;
};
/// Returns nullopt when one group has everything.
std::optional<KeyGroups> key_groups(const std::filesystem::path& directory);

/// Returns the existing private keys, seal.key and factor.key.
std::vector<std::filesystem::path> private_files(const std::filesystem::path& directory);

/// Returns everything directly in `directory`; empty when that is not there.
std::set<std::filesystem::path> entries_of(const std::filesystem::path& directory);

/// Makes `directory` with `mode` and missing ancestors with 0755; adds the ones it made to `made`, outermost first. One
/// that another process makes at the same time counts as there. Throws Refused.
void make_directory(const std::filesystem::path& directory, mode_t mode, os::NewFiles& made);

/// Sets the owner, then the mode (`mode`, or the old one, because a change of owner may clear bits). Works on a
/// descriptor, because the new owner of the directory may replace the file; a symbolic link or a missing file is left
/// alone. Throws Refused when the system refuses.
void give(const std::filesystem::path& path, Owner owner, std::optional<mode_t> mode = {});

/// The values of --owner, --signers, --sealers and --factors as the operator typed them.
struct OwnerOptions {
    std::string all;
    std::optional<std::string> signers;
    std::optional<std::string> sealers;
    std::optional<std::string> factors;
};

struct Owners {
    std::optional<Owner> all;
    std::optional<KeyGroups> groups;  ///< nullopt: one group has everything
};

/// Adds the options --owner, --signers, --sealers and --factors.
void add_owner_options(const Command& command, OwnerOptions& options);

/// Looks up the users and groups. Throws UsageError for a malformed value, Refused for an unknown user or group.
Owners resolve(const OwnerOptions& options);

inline constexpr mode_t kKeyDirectory = 0750;
// If groups divide the private keys, every user may enter the directory, because the key set in it is public.
inline constexpr mode_t kDividedKeyDirectory = 0751;

inline constexpr mode_t kGroupReads = 0640;  ///< of a private file

/// Gives each private file in `directory` to the group of its readers.
void divide(const KeyGroups& groups, const std::string& directory);

}  // namespace postern::cli
