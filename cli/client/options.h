// The options of `client add` and `client set`, and what they make of a client.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/client/certificates.h"
#include "cli/client/keys.h"
#include "cli/client/logout.h"
#include "cli/client/parts.h"
#include "cli/client/protection.h"
#include "cli/command_line.h"
#include "model/client.h"
#include "oauth/settings.h"

namespace postern::cli {

/// The options about tokens as the operator typed them. An option that was not typed is an empty optional.
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

/// The options of `client add` and `client set` as the operator typed them. An option that was not typed is an empty
/// optional.
struct ClientOptions {
    std::optional<std::string> name;
    std::vector<std::string> names;  ///< "de=Unser Wiki"
    std::optional<bool> is_public;
    std::optional<bool> native;
    std::optional<bool> first_party;
    std::vector<std::string> redirect_uris;
    bool no_redirect_uri = false;
    std::vector<std::string> post_logout_redirect_uris;
    bool no_post_logout_redirect_uri = false;
    LogoutOptions logout;
    std::vector<std::string> grants;
    std::vector<std::string> response_types;  ///< "code id_token"
    bool no_response_type = false;
    std::optional<std::string> id_token_algorithm;
    bool no_id_token_algorithm = false;
    std::vector<std::string> response_modes;
    bool no_response_mode = false;
    std::optional<std::string> response_algorithm;
    bool no_response_algorithm = false;
    std::optional<std::string> scope;
    std::optional<std::string> auth_method;
    ProtectionOptions protection;
    std::optional<std::string> groups;
    std::optional<bool> id_token_claims;
    std::vector<std::string> introspection_claims;
    bool no_introspection_claim = false;
    std::optional<std::string> acr;
    AccessOptions access;
    TokenOptions tokens;
    GroupNameOptions group_names;
    KeyOptions keys;
    CertificateOptions certificates;

    bool operator==(const ClientOptions&) const = default;
};

/// Adds the options that `client add` and `client set` share.
void add_client_options(const Command& command, ClientOptions& options);
/// Adds the options of `client set` that undo those of `client add`.
void add_client_set_options(const Command& command, ClientOptions& options);

/// A client as registered when no option is given.
model::Client default_client(const std::string& id, const oauth::Settings& settings);

/// Writes the options that were typed into `client`; its other fields stay. Throws UsageError for options that
/// contradict each other, Refused for a malformed scope.
void apply(const ClientOptions& options, model::Client& client);

}  // namespace postern::cli
