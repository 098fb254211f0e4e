// CGI variables of a request, changed one by one.
#pragma once

#include <algorithm>
#include <string_view>

#include "gateway/variables.h"

namespace postern::test {

inline void remove(gateway::Variables& variables, std::string_view name) {
    std::erase_if(variables.values, [&](const auto& known) { return known.first == name; });
}

/// `name` and `value` must outlive the variables, as the transport's memory does.
inline void set(gateway::Variables& variables, std::string_view name, std::string_view value) {
    remove(variables, name);
    variables.values.emplace_back(name, value);
}

}  // namespace postern::test
