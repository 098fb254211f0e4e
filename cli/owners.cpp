// Decides who owns the files that a command creates.
#include "cli/owners.h"

#include "cli/command.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr auto kSameUser = static_cast<uid_t>(-1);

}  // namespace

void add_owner_options(const Command& command, OwnerOptions& options) {
    command.option("--owner", "USER:GROUP", options.all,
                   "Owner of everything that is created, and of existing empty directories for it: the user and group "
                   "of the serving processes");
    const Option signers = command.option(
        "--signers", "GROUP", options.signers,
        "If each endpoint runs as its own user: the group that may read the signing keys (the group of token)");
    const Option sealers = command.option(
        "--sealers", "GROUP", options.sealers,
        "The group that may read seal.key (the group of authorize, login, scopes, logout, account and recover)");
    command
        .option("--factors", "GROUP", options.factors,
                "The group that may read factor.key (the group of login and account); without it, that of --sealers")
        .needs(sealers);
    signers.needs(sealers);
    sealers.needs(signers);
}

Owners resolve(const OwnerOptions& options) {
    Owners owners;
    if (!options.all.empty()) owners.all = parse_owner(options.all);
    if (!options.signers || !options.sealers) return owners;
    owners.groups = {.signers = parse_group(*options.signers),
                     .sealers = parse_group(*options.sealers),
                     .factors = parse_group(options.factors ? *options.factors : *options.sealers)};
    if (owners.groups->signers == owners.groups->sealers)
        throw UsageError(
            "--signers and --sealers name the same group; leave both out to have one group for everything");
    if (owners.groups->signers == owners.groups->factors)
        throw UsageError("--signers and --factors name the same group, which is that of token alone");
    return owners;
}

void divide(const KeyGroups& groups, const std::string& directory) {
    for (const fs::path& file : private_files(directory)) give(file, {kSameUser, groups.readers_of(file)}, kGroupReads);
}

}  // namespace postern::cli
