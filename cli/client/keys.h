// The options of `client add` and `client set` about the keys with which a client signs, or of its certificates.
#pragma once

#include <optional>
#include <string>

#include "cli/command_line.h"
#include "db/database.h"
#include "model/client.h"

namespace postern::config {
struct Config;
}

namespace postern::cli {

/// The options as the operator typed them. An option that was not typed is an empty optional.
struct KeyOptions {
    std::optional<std::string> jwks;  ///< a file
    std::optional<std::string> jwks_uri;
    std::optional<std::string> alg;
    bool no_alg = false;

    bool operator==(const KeyOptions&) const = default;
};

void add_key_options(const Command& command, KeyOptions& options);
/// Adds the options of `client set` that undo those of `client add`.
void add_key_set_options(const Command& command, KeyOptions& options);

/// Writes the options into `client.keys`, which has the stored keys, and takes keys away from a client with another
/// method. Throws UsageError for options that contradict each other, Refused for a file that is not a set of keys.
void apply(const KeyOptions& options, model::Client& client);

/// Stores `client.keys` and deletes the client's secrets; deletes the stored keys of a client that has none any more.
void save_keys(db::Transaction& transaction, const model::Client& client);

/// Fetches the set of a --jwks-uri. Throws Refused when it cannot be used (FETCH-15).
void require_fetched(const KeyOptions& options, const model::ClientId& client, const config::Config& config);

}  // namespace postern::cli
