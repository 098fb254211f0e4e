// Which sessions, consents or tokens a command is about: its filters, and --all where it ends something.
#pragma once

#include <optional>
#include <string>

#include "cli/audit.h"
#include "cli/command_line.h"
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
void add_all_option(const Command& command, Selection& selection);

/// For commands that end something: nothing typed is not everything meant. Throws UsageError without a filter and
/// without --all, and when both are given.
void require_choice(const Selection& selection);

/// Throws UsageError for a time that is none, Refused for a user or client that is not there.
store::GrantFilter resolve(db::Database& database, const Selection& selection);

/// An audit line for what was ended of it, a batch perhaps; `counts` say how much, and when that is nothing there is
/// none.
void note_ended(const Invocation& invocation, const store::GrantFilter& filter,
                std::vector<oauth::audit::Member> counts) noexcept;

}  // namespace postern::cli
