// Keeps the members of an object in order, and each name once.
#include "json/value.h"

#include <algorithm>

namespace postern::json {
namespace {

/// Works on members and const members alike.
template <class Members>
auto find_member(Members& members, std::string_view name) {
    return std::find_if(members.begin(), members.end(), [name](const auto& member) { return member.first == name; });
}

}  // namespace

Object::Object() = default;
Object::Object(const Object&) = default;
Object::Object(Object&&) noexcept = default;
Object& Object::operator=(const Object&) = default;
Object& Object::operator=(Object&&) noexcept = default;
Object::~Object() = default;

Object::Object(std::initializer_list<std::pair<std::string, Value>> members) {
    reserve(members.size());
    for (const auto& [name, value] : members) set(name, value);
}

Object Object::from_unique(std::vector<std::pair<std::string, Value>> members) {
    Object object;
    object.members_ = std::move(members);
    return object;
}

const Value* Object::find(std::string_view name) const {
    const auto found = find_member(members_, name);
    return found == members_.end() ? nullptr : &found->second;
}

const std::string* Object::find_string(std::string_view name) const {
    const Value* value = find(name);
    return value == nullptr ? nullptr : value->if_string();
}

void Object::set(std::string name, Value value) {
    const auto found = find_member(members_, name);
    if (found == members_.end()) {
        members_.emplace_back(std::move(name), std::move(value));
    } else {
        found->second = std::move(value);
    }
}

void Object::erase(std::string_view name) {
    const auto found = find_member(members_, name);
    if (found != members_.end()) members_.erase(found);
}

void Object::reserve(std::size_t members) { members_.reserve(members); }

bool Object::empty() const { return members_.empty(); }
std::size_t Object::size() const { return members_.size(); }
const std::vector<std::pair<std::string, Value>>& Object::members() const { return members_; }

Value strings(const std::vector<std::string>& values) { return Array(values.begin(), values.end()); }

}  // namespace postern::json
