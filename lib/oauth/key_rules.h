// The rules about the keys of a client that are kept when its registration is saved (KEY-5, KEY-9, CA-14).
#pragma once

#include <string>
#include <vector>

#include "model/client.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// A rule that the keys of a client break.
struct KeyProblem {
    std::string fault;
    std::string
        remedy;  ///< in options of `postern client`, which programs that register do not have; "": the fault says it
};

/// Returns every rule that `client.keys` breaks.
std::vector<KeyProblem> key_problems(const model::Client& client, const Settings& settings);

/// Returns advice to the operator about keys that were probably not meant so, a sentence each.
std::vector<std::string> key_advice(const model::Client& client);

}  // namespace postern::oauth
