// The parts of `postern client`: sub-commands, secrets, who may use a client, its own claims, and how it is shown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/output.h"
#include "model/client.h"
#include "store/client_access.h"
#include "store/client_claims.h"
#include "util/secret.h"

namespace postern::cli {

void add_client_add_command(const Command& group, Invocation& invocation);
void add_client_set_command(const Command& group, Invocation& invocation);
void add_client_remove_command(const Command& group, Invocation& invocation);
void add_client_secret_command(const Command& group, Invocation& invocation);
void add_client_claim_commands(const Command& group, Invocation& invocation);

/// Makes the row outlive the time in which no user signs in, because the next approval would make one without the
/// operator's decision, or because the operator wants it. No effect on clients of the operator.
void keep(model::Client& client);

/// The operator's own secret from standard input, which must be good enough, or 256 random bits.
util::Secret new_secret(bool from_stdin);

/// Prints a generated secret, which is not stored; the operator knows a secret from --secret-stdin already.
void print_credentials(const Invocation& invocation, const std::string& id, const util::Secret* generated);

/// The options about access as the operator typed them.
struct AccessOptions {
    std::vector<std::string> allow_groups;
    std::vector<std::string> allow_users;
    std::vector<std::string> disallow_groups;
    std::vector<std::string> disallow_users;
    bool allow_everyone = false;

    bool operator==(const AccessOptions&) const = default;
};

void add_access_options(const Command& command, AccessOptions& options);
/// Adds the options of `client set` that take something away.
void add_access_set_options(const Command& command, AccessOptions& options);

/// Sets `restricted` of the client. Throws UsageError for options that contradict each other.
void apply(const AccessOptions& options, model::Client& client);
/// Changes the lists of the stored client and ends the grants of users who may not use it any more; returns their
/// number. Before it, the transaction has called store::lock_access. Throws Refused for an unknown group or user.
std::int64_t change_access(db::Transaction& transaction, const AccessOptions& options, const model::Client& client);
/// Prints a note when no user can use the client, or when it can be told no groups.
void note_access(const model::Client& client, const store::ClientAccess& access);

/// Prints a note for each client that no user can use and that is not in `before`.
void note_unusable_clients(db::Database& database, const std::vector<model::ClientId>& before);

/// Returns the groups and users that may use the client; empty for a client that is not restricted.
store::ClientAccess read_access(db::Database& database, const model::Client& client);

/// The options about group names as the operator typed them.
struct GroupNameOptions {
    std::vector<std::string> names;  ///< GROUP=NAME
    std::vector<std::string> undone;

    bool operator==(const GroupNameOptions&) const = default;
};

void add_group_name_options(const Command& command, GroupNameOptions& options);
/// Changes the names of the stored client. Throws UsageError for an option that is not GROUP=NAME, Refused for an
/// unknown group and for a name that no client can be told.
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

/// The rows of other tables about a client.
struct ClientDetails {
    store::ClientAccess access;
    std::vector<model::ClientClaim> claims;
    store::GroupNames group_names;
    std::optional<model::ClientKeys> keys;
};
ClientDetails read_details(db::Database& database, const model::Client& client);

/// Returns the fields of a client. Members have their names in RFC 7591 §2 where it has one.
Listing listing_of(const model::Client& client, const ClientDetails& details);
/// Prints one client, with notes about what is probably not meant.
void print_client(const Invocation& invocation, db::Database& database, const model::Client& client);
void print_clients(const std::vector<model::Client>& clients);

}  // namespace postern::cli
