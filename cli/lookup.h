// The users, clients and groups that were typed, as one or as a filter, and --all where a command ends something.
#pragma once

#include <optional>
#include <string>

#include "cli/audit.h"
#include "cli/command_line.h"
#include "db/database.h"
#include "model/client.h"
#include "model/group.h"
#include "model/user.h"
#include "store/token_list.h"

namespace postern::cli {

/// Finds a user by name, else by subject, which tokens and logs show. Throws Refused.
model::User require_user(db::Database& database, const std::string& name);
/// Finds a user by name, else by subject, and locks the row for a transaction that writes it back. Throws Refused.
model::User require_user(db::Transaction& transaction, const std::string& name);

/// Finds a client. Throws Refused.
model::Client require_client(db::Database& database, const std::string& id);
/// Finds a client and locks the row for a transaction that writes it back. Throws Refused.
model::Client require_client(db::Transaction& transaction, const std::string& id);

/// Finds a group. Throws Refused.
model::Group require_group(db::Database& database, const std::string& name);

/// The filters and --all as the operator typed them. A filter that was not typed is an empty optional.
struct Selection {
    std::optional<std::string> user;
    std::optional<std::string> client;
    std::optional<std::string> before;
    bool all = false;
};

void add_user_filter(const Command& command, Selection& selection);
void add_client_filter(const Command& command, Selection& selection);
void add_before_filter(const Command& command, Selection& selection);
void add_all_option(const Command& command, Selection& selection);

/// Throws UsageError without a filter and without --all, and when both are given: where a command ends something, a
/// missing filter must not mean everything.
void require_choice(const Selection& selection);

/// Looks up user and client. Throws UsageError for a malformed time, Refused for an unknown user or client.
store::GrantFilter resolve(db::Database& database, const Selection& selection);

/// Writes an audit line for one batch that was ended, unless all of `counts` are 0.
void note_ended(const Invocation& invocation, const store::GrantFilter& filter,
                std::vector<audit::Member> counts) noexcept;

}  // namespace postern::cli
