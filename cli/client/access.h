// Who may use a client: the options of `client add` and `client set` about it, and what they change.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.h"
#include "db/database.h"
#include "model/client.h"
#include "store/client_access.h"

namespace postern::cli {

/// The options as typed.
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

/// Returns the lists; empty for a client that is not restricted.
store::ClientAccess read_access(db::Database& database, const model::Client& client);

}  // namespace postern::cli
