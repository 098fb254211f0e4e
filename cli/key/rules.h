// Which keys are in use, how long a key that has stopped signing must stay published, and how a key is shown.
#pragma once

#include <vector>

#include "crypto/key.h"
#include "json/value.h"
#include "keys/keys.h"
#include "oauth/settings.h"

namespace postern::cli {

/// The algorithms that the configuration signs with.
std::vector<crypto::Algorithm> algorithms_in_use(const oauth::Settings& settings);
bool is_in_use(crypto::Algorithm algorithm, const oauth::Settings& settings);

/// When a retired key is not needed any more, by the lifetimes in the current configuration: the last token that it
/// signed has expired, and no session or grant is left from which a client has an ID token of it to show as a hint.
util::Time last_token_expires(const keys::KeyInfo& retired, const oauth::Settings& settings);

json::Object to_json(const keys::KeyInfo& key, const oauth::Settings& settings);
void print_keys(const std::vector<keys::KeyInfo>& keys, const oauth::Settings& settings);

}  // namespace postern::cli
