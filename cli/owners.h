// The options that say who owns the files that a command creates.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "cli/files.h"

namespace postern::cli {

/// As they were typed.
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

/// --owner, --signers, --sealers and --factors.
void add_owner_options(const Command& command, OwnerOptions& options);

/// Throws UsageError for a malformed value, Refused for an unknown user or group.
Owners resolve(const OwnerOptions& options);

inline constexpr mode_t kKeyDirectory = 0750;
// If groups divide the private keys, every user may enter the directory, because the key set in it is public.
inline constexpr mode_t kDividedKeyDirectory = 0751;

inline constexpr mode_t kGroupReads = 0640;  ///< of a private file

/// Gives each private file in `directory` to the group of its readers.
void divide(const KeyGroups& groups, const std::string& directory);

}  // namespace postern::cli
