// Every key the configuration file may have, one row each: its name, what it accepts and where it goes.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "json/value.h"

namespace postern::config {

/// Puts a value into the configuration, or says what is wrong with it. A problem's key is relative to the row's: "" is
/// the key itself.
using Apply = std::function<std::vector<ConfigProblem>(Config&, const json::Value&)>;

struct ConfigKey {
    std::string_view name;  ///< "login.window": a member of the object `login`
    Apply apply;
};

const std::vector<ConfigKey>& config_keys();

}  // namespace postern::config
