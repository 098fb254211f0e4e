// What a reader of a key's value answers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "config/config.h"

namespace postern::config {

/// Their keys are relative to the key that was read: "" is that key itself, "[1]" and ".name" are items of its value.
using Problems = std::vector<ConfigProblem>;

inline Problems wrong(std::string reason) { return {{"", std::move(reason)}}; }

}  // namespace postern::config
