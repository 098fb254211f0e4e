// Which sessions, consents or tokens a command is about: its filters, and --all where it ends something.
#pragma once

#include <optional>
#include <string>

#include "cli/audit.h"
#include "cli/command_line.h"
#include "db/rows.h"
#include "store/token_list.h"

namespace postern::cli {

/// As typed: an empty optional was not given.
struct Selection {
    std::optional<std::string> user;
    std::optional<std::string> client;
    std::optional<std::string> before;
    bool all = false;
};

void add_user_filter(const Command& command, Selection& selection);
void add_client_filter(const Command& command, Selection& selection);
void add_before_filter(const Command& command, Selection& selection);
/// At most so many rows of a list.
void add_limit_option(const Command& command, db::Limit& limit);
void add_all_option(const Command& command, Selection& selection);

/// For commands that end something: a missing filter must not mean everything. Throws UsageError without a filter and
/// without --all, and when both are given.
void require_choice(const Selection& selection);

/// Throws UsageError for a malformed time, Refused for an unknown user or client.
store::GrantFilter resolve(db::Database& database, const Selection& selection);

/// Writes an audit line for one batch that was ended, unless all of `counts` are 0.
void note_ended(const Invocation& invocation, const store::GrantFilter& filter,
                std::vector<audit::Member> counts) noexcept;

}  // namespace postern::cli
