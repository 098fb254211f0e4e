// The rules about the keys of a client that are kept when its registration is saved (KEY-5, KEY-9, CA-14).
#pragma once

#include <string>
#include <vector>

#include "model/client.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Returns every rule that `client.keys` breaks, a sentence each.
std::vector<std::string> key_problems(const model::Client& client, const Settings& settings);

/// Returns advice about keys that were probably not meant so, a sentence each.
std::vector<std::string> key_advice(const model::Client& client);

}  // namespace postern::oauth
