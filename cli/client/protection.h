// The options of `client add` and `client set` about FAPI 2.0 and the protections that it consists of, each of which a
// client can have alone.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "model/client.h"

namespace postern::cli {

/// The options as the operator typed them. An option that was not typed is an empty optional.
struct ProtectionOptions {
    std::optional<std::string> pkce;
    std::optional<bool> require_par;
    std::optional<bool> dpop_bound;
    std::optional<std::string> profile;
    bool no_profile = false;
    std::optional<std::string> resource_server;
    bool no_resource_server = false;
    std::optional<bool> require_signed_request;
    std::optional<std::string> request_object_alg;
    bool no_request_object_alg = false;

    bool operator==(const ProtectionOptions&) const = default;
};

void add_protection_options(const Command& command, ProtectionOptions& options);
/// Adds the options of `client set` that undo those of `client add`.
void add_protection_set_options(const Command& command, ProtectionOptions& options);

/// Writes the options into `client`; a profile makes PKCE required. Throws UsageError for options that contradict each
/// other.
void apply(const ProtectionOptions& options, model::Client& client);

}  // namespace postern::cli
