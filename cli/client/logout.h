// The options of `client add` and `client set` about the end of sessions, of which clients are told.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "model/client.h"

namespace postern::cli {

/// The options as the operator typed them. An option that was not typed is an empty optional.
struct LogoutOptions {
    std::optional<std::string> backchannel_uri;
    std::optional<std::string> frontchannel_uri;
    std::optional<bool> backchannel_session_required;
    std::optional<bool> frontchannel_session_required;
    bool no_backchannel_uri = false;
    bool no_frontchannel_uri = false;

    bool operator==(const LogoutOptions&) const = default;
};

void add_logout_options(const Command& command, LogoutOptions& options);
/// Adds the options of `client set` that undo those of `client add`.
void add_logout_set_options(const Command& command, LogoutOptions& options);

/// Throws UsageError for options that contradict each other.
void apply(const LogoutOptions& options, model::Client& client);

}  // namespace postern::cli
