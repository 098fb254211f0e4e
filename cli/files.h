// Directories, owners and modes: what `postern` creates or changes must stay usable by the serving processes.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "config/config.h"

namespace postern::os {
class NewFiles;
}

namespace postern::cli {

struct Owner {
    uid_t user = 0;
    gid_t group = 0;
};

/// "USER:GROUP", names or numbers. Throws UsageError for another shape, Refused for an unknown name.
Owner parse_owner(const std::string& text);

/// A name or a number. Throws Refused for an unknown name.
gid_t parse_group(const std::string& text);

/// The directory a file is in; "." for a bare name.
std::filesystem::path directory_of(const std::filesystem::path& file);
/// The existing files of the database: itself, its side files, the ring.
std::vector<std::filesystem::path> side_files(const config::Config& config);

/// The existing private keys, jwks.json, seal.key and factor.key.
std::vector<std::filesystem::path> key_files(const std::filesystem::path& directory);

/// The groups that divide the private keys among the processes: one for signing keys, another one for seal.key, and one
/// for factor.key, which may be that of seal.key.
struct KeyGroups {
    gid_t signers = 0;
    gid_t sealers = 0;
    gid_t factors = 0;

    /// Of a private file.
    gid_t readers_of(const std::filesystem::path& file) const;
};
/// nullopt when one group has everything.
std::optional<KeyGroups> key_groups(const std::filesystem::path& directory);

/// The existing private keys, seal.key and factor.key.
std::vector<std::filesystem::path> private_files(const std::filesystem::path& directory);

/// Everything directly in `directory`; empty when it is not there.
std::set<std::filesystem::path> entries_of(const std::filesystem::path& directory);

/// Makes `directory` with `mode` and missing ancestors with 0755; adds the ones it made to `made`, outermost first. One
/// that another process makes at the same time counts as there. Throws Refused.
void make_directory(const std::filesystem::path& directory, mode_t mode, os::NewFiles& made);

/// Sets the owner, then the mode (`mode`, or the old one, because a change of owner may clear bits). Works on a
/// descriptor, because the new owner of the directory may replace the file; a symbolic link or a missing file is left
/// alone. Throws Refused when the system refuses.
void give(const std::filesystem::path& path, Owner owner, std::optional<mode_t> mode = {});

}  // namespace postern::cli
