// Decides which texts may be the name of a group.
#include "model/group.h"

#include <algorithm>

namespace postern::model {
namespace {

constexpr std::size_t kMaxNameBytes = 64;

bool is_letter_of_name(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
}

}  // namespace

bool is_group_name(std::string_view name) {
    return !name.empty() && name.size() <= kMaxNameBytes && std::ranges::all_of(name, is_letter_of_name);
}

bool is_new_group_name(std::string_view name) { return is_group_name(name) && !name.starts_with('-'); }

}  // namespace postern::model
