// What can be said of a configuration only once all its keys are read.
#pragma once

#include <string>
#include <vector>

#include "config/values.h"

namespace postern::config {

/// Adds a problem for each key that contradicts another, and fills in what follows from other keys where a key is left
/// out: `login.rpId` and `login.saslauthd`.
void check_together(Config& config, std::vector<ConfigProblem>& problems);

/// What is allowed and not wise, one sentence each.
std::vector<std::string> warnings_of(const Config& config);

}  // namespace postern::config
