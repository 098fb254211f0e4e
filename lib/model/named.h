// Tables of the names that values have in the database and on the command line. Private to this module.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace postern::model {

template <class Enum>
struct Named {
    Enum value;
    std::string_view name;
};

template <class Enum, std::size_t count>
std::string_view name_of(const Named<Enum> (&table)[count], Enum value) {
    const auto* row = std::ranges::find(table, value, &Named<Enum>::value);
    if (row == std::end(table)) throw std::logic_error("a value without a name");
    return row->name;
}

template <class Enum, std::size_t count>
std::optional<Enum> find_named(const Named<Enum> (&table)[count], std::string_view name) {
    const auto* row = std::ranges::find(table, name, &Named<Enum>::name);
    return row == std::end(table) ? std::nullopt : std::optional(row->value);
}

}  // namespace postern::model
