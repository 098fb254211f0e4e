// What a reader of a key's value answers.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/values.h"
#include "json/value.h"

namespace postern::config {

/// Their keys are relative to the key that was read: "" is that key itself, "[1]" and ".name" are items of its value.
using Problems = std::vector<ConfigProblem>;

/// Puts a value into the configuration, or returns the problem of that value.
using Apply = std::function<Problems(Config&, const json::Value&)>;

inline Problems wrong(std::string reason) { return {{"", std::move(reason)}}; }

}  // namespace postern::config
