// The parts of `postern key`, the rules of when a key is needed, and how it is shown.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"
#include "crypto/key.h"
#include "json/value.h"
#include "keys/keys.h"
#include "oauth/settings.h"
#include "util/clock.h"

namespace postern::cli {

void add_rotate_command(const Command& group, Invocation& invocation);
void add_retire_command(const Command& group, Invocation& invocation);
void add_repair_command(const Command& group, Invocation& invocation);
void add_share_command(const Command& group, Invocation& invocation);
void add_sync_command(const Command& group, Invocation& invocation);
void add_nodes_command(const Command& group, Invocation& invocation);

/// Prints a note for each private file that no group can read: if groups divide the keys, only the operator knows the
/// right group.
void note_closed_files(const std::string& directory);

struct FactorRotation {
    bool end_codes = false;  ///< end all recovery codes, so that the former key is worth nothing
    util::Seconds wait{};    ///< for other nodes
};

/// Seals the secrets of all apps with a new key. Until that is done factor.key has the former key as well, so that
/// logins go on. One that was cut off goes on where it was. Throws Refused when another node does not have the new key
/// in time; both keys then stay in use.
void rotate_factors(const Invocation& invocation, const FactorRotation& rotation);

/// The algorithms that the configuration signs with.
std::vector<crypto::Algorithm> algorithms_in_use(const oauth::Settings& settings);
bool is_in_use(crypto::Algorithm algorithm, const oauth::Settings& settings);

/// Returns the time from which a retired key is not needed any more, by the lifetimes in the current configuration: the
/// last token that the key signed has expired, and no session or grant is left from which a client has an ID token with
/// its signature to show as a hint.
util::Time last_token_expires(const keys::KeyInfo& retired, const oauth::Settings& settings);

/// Returns the members `kid` and `alg`.
json::Object name_and_algorithm(const keys::KeyInfo& key);
json::Object to_json(const keys::KeyInfo& key, const oauth::Settings& settings);
void print_keys(const std::vector<keys::KeyInfo>& keys, const oauth::Settings& settings);

}  // namespace postern::cli
