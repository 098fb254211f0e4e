// The faults of a key's value, and how those of a list's items and an object's members are named.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "config/checks.h"
#include "config/values.h"
#include "json/value.h"

namespace postern::config {

/// The problems of one value. Their keys are relative to the key that was read: "" is that key itself, "[1]" and
/// ".name" are items of its value.
using Problems = std::vector<ConfigProblem>;

/// Puts a value into the configuration, or returns the problems of that value.
using Apply = std::function<Problems(Config&, const json::Value&)>;

inline Problems wrong(std::string reason) { return {{"", std::move(reason)}}; }

/// Calls `read`, which returns a Fault, with each item of a list.
template <class Read>
Problems read_each(const json::Array& list, Read read) {
    Problems problems;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (const Fault fault = read(list[i])) problems.push_back({"[" + std::to_string(i) + "]", *fault});
    return problems;
}

/// Calls `read`, which returns a Fault, with the name and the value of each member of an object.
template <class Read>
Problems read_each(const json::Object& object, Read read) {
    Problems problems;
    for (const auto& [name, value] : object.members())
        if (const Fault fault = read(name, value)) problems.push_back({"." + name, *fault});
    return problems;
}

}  // namespace postern::config
