// Checks of a configuration that need all its keys.
#pragma once

#include <string>
#include <vector>

#include "config/problems.h"

namespace postern::config {

/// Adds a problem for each key that contradicts another, and fills in what follows from other keys where a key is left
/// out: `login.rpId` and `login.saslauthd`.
void check_contradictions(Config& config, Problems& problems);

/// Returns a sentence for each setting that is allowed and not wise.
std::vector<std::string> warnings_of(const Config& config);

}  // namespace postern::config
