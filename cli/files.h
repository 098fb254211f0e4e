// Directories, owners and modes: what `postern` makes or touches must stay usable by the processes that serve.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
/// Where refusals are recorded: beside the database.
std::string ring_path(const std::string& database);
/// The files that belong to the database and are there now: itself, its side files, the ring.
std::vector<std::filesystem::path> side_files(const std::string& database);

/// The private keys, jwks.json and seal.key that are there now.
std::vector<std::filesystem::path> key_files(const std::filesystem::path& directory);

/// The groups that divide the private keys among the processes: that of seal.key, and another one that signing keys
/// have.
struct KeyGroups {
    gid_t signers = 0;
    gid_t sealers = 0;
};
/// nullopt when one group has everything.
std::optional<KeyGroups> key_groups(const std::filesystem::path& directory);

/// The private keys and seal.key that are there now.
std::vector<std::filesystem::path> private_files(const std::filesystem::path& directory);

/// Everything directly in `directory`; empty when it is not there.
std::set<std::filesystem::path> entries_of(const std::filesystem::path& directory);

/// Makes `directory` with `mode` and missing ancestors with 0755; adds the ones it made to `made`, outermost first. One
/// that another process makes at the same time counts as there. Throws Refused.
void make_directory(const std::filesystem::path& directory, mode_t mode, os::NewFiles& made);

/// Owner first and then the mode, `mode` or the one it has, which a change of owner may clear. By descriptor, since
/// whoever has been given the directory may put another file in the place of ours; what has become a link, or has gone,
/// is left alone. Throws Refused when the system does.
void give(const std::filesystem::path& path, Owner owner, std::optional<mode_t> mode = {});

}  // namespace postern::cli
