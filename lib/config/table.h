// Every key the configuration file may have, one row each: its name, what it accepts and where it goes.
#pragma once

#include <string_view>
#include <vector>

#include "config/problems.h"

namespace postern::config {

struct ConfigKey {
    std::string_view name;  ///< "login.window": a member of the object `login`
    Apply apply;
};

const std::vector<ConfigKey>& config_keys();

}  // namespace postern::config
