// The claims and groups that a client is told under names of its own: `client claim`, and options of `client set`.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "model/client.h"
#include "store/client_claims.h"

namespace postern::cli {

void add_client_claim_commands(const Command& group, Invocation& invocation);

/// As typed.
struct GroupNameOptions {
    std::vector<std::string> names;  ///< GROUP=NAME
    std::vector<std::string> undone;

    bool operator==(const GroupNameOptions&) const = default;
};

void add_group_name_options(const Command& command, GroupNameOptions& options);
/// Changes the names of the stored client. Throws UsageError for what is not GROUP=NAME, Refused for an unknown group
/// and for a name that no client can be told.
void change_group_names(db::Transaction& transaction, const GroupNameOptions& options, const model::ClientId& client);

/// Prints a note for each claim whose scope the client is not registered for.
void note_untold_claims(const model::Client& client, const std::vector<model::ClientClaim>& claims);

/// The losses of clients when a group is removed: claims of it, and its names.
struct ToldOfGroup {
    std::vector<store::OwnClaim> claims;
    std::vector<model::ClientId> renaming;
};
ToldOfGroup find_told_of_group(db::Database& database, const std::string& group);
/// Prints a note for each loss.
void note_lost(const ToldOfGroup& lost);

}  // namespace postern::cli
