// Which keys are in use, and how long a key that has stopped signing must stay published.
#pragma once

#include <vector>

#include "crypto/key.h"
#include "keys/keys.h"
#include "oauth/settings.h"

namespace postern::cli {

/// The algorithms that the configuration signs with.
std::vector<crypto::Algorithm> algorithms_in_use(const oauth::Settings& settings);
bool is_in_use(crypto::Algorithm algorithm, const oauth::Settings& settings);

/// When the last token that a retired key signed expires, by the lifetimes in the current configuration.
util::Time last_token_expires(const keys::KeyInfo& retired, const oauth::Settings& settings);

}  // namespace postern::cli
