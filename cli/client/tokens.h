// What the access tokens of a client say and what they are for: the options of `client add` and `client set` about it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "model/client.h"

namespace postern::cli {

/// As typed: an empty optional was not given.
struct TokenOptions {
    std::optional<std::string> profile;
    std::optional<bool> groups;
    std::optional<std::string> default_resource;
    std::vector<std::string> resources;
    bool no_default_resource = false;
    bool no_resource = false;

    bool operator==(const TokenOptions&) const = default;
};

void add_token_options(const Command& command, TokenOptions& options);
/// Adds the options of `client set` that undo those of `client add`.
void add_token_set_options(const Command& command, TokenOptions& options);

/// Throws UsageError for options that contradict each other.
void apply(const TokenOptions& options, model::Client& client);

}  // namespace postern::cli
