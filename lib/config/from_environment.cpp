#include "config/from_environment.h"

#include <utility>

#include "config/remote_user.h"
#include "model/group.h"
#include "util/text.h"

namespace postern::config {
namespace {

constexpr std::size_t kMostGroups = 256;
constexpr std::size_t kLongestSeparator = 16;
constexpr std::size_t kLongestValue = 1024;  // of a group: the name of an entry in a directory

/// What stands between the values of a variable: 1 to 16 bytes without control characters.
Fault separator_fault(std::string_view separator) {
    if (separator.empty() || separator.size() > kLongestSeparator || util::has_control_bytes(separator))
        return "must be the 1 to 16 bytes, no control characters, that the web server writes between two values";
    return std::nullopt;
}

/// A value of the variable, and the name of the group that it stands for; nullptr: no text. A value that could never be
/// there is refused, as one with the separator inside.
Fault group_fault(std::string_view value, std::string_view separator, const std::string* group) {
    if (value.empty() || value.size() > kLongestValue || util::has_control_bytes(value))
        return "must be a value of 1 to 1024 bytes without control characters";
    if (!separator.empty() && value.find(separator) != value.npos)
        return "holds the separator, so no value of the variable can be equal to it";
    if (group == nullptr || !model::is_group_name(*group))
        return "must be the name of a group: 1 to 64 of the characters A-Z a-z 0-9 . _ -";
    return std::nullopt;
}

Fault claim_fault(const std::string& claim, const json::Value& variable) {
    if (const Fault fault = environment_claim_fault(claim)) return fault;
    const std::string* name = variable.if_string();
    return name == nullptr ? Fault("must be a string, the name of a CGI variable") : variable_fault(*name);
}

void add(Problems& problems, const std::string& key, const Fault& fault) {
    if (fault) problems.push_back({key, *fault});
}

/// Of the members of `login.groupsFromEnvironment` that are text.
Fault read_member(const json::Object& object, const char* name, Fault (*check)(std::string_view), std::string& text) {
    const json::Value* value = object.find(name);
    if (value == nullptr) return "is required";
    if (value->if_string() == nullptr) return "must be a string";
    text = *value->if_string();
    return check(text);
}

Problems read_group_map(oauth::GroupsFromEnvironment& read, const json::Object& object) {
    const json::Value* map = object.find("groups");
    if (map == nullptr) return {{".groups", "is required"}};
    if (map->if_object() == nullptr || map->if_object()->members().empty() ||
        map->if_object()->members().size() > kMostGroups)
        return {{".groups", "must be an object of 1 to 256 members: values, and the groups that they stand for"}};
    Problems problems;
    for (const auto& [value, group] : map->if_object()->members()) {
        const std::string key = ".groups." + value;
        const Fault fault = group_fault(value, read.separator, group.if_string());
        if (!fault) read.groups[value] = *group.if_string();
        add(problems, key, fault);
    }
    return problems;
}

}  // namespace

Problems read_claims_from_environment(Config& config, const json::Value& value) {
    if (value.if_object() == nullptr) return wrong("must be an object: claims, and the CGI variables that hold them");
    Problems problems;
    for (const auto& [claim, variable] : value.if_object()->members()) {
        if (const Fault fault = claim_fault(claim, variable)) {
            problems.push_back({"." + claim, *fault});
        } else {
            config.settings.login.claims_from_environment[claim] = *variable.if_string();
        }
    }
    return problems;
}

Problems read_groups_from_environment(Config& config, const json::Value& value) {
    auto& target = config.settings.login.groups_from_environment;
    target.reset();
    if (value.is_null()) return {};
    if (value.if_object() == nullptr)
        return wrong("must be null, or an object with \"variable\", \"separator\" and \"groups\"");
    const json::Object& object = *value.if_object();
    oauth::GroupsFromEnvironment read;
    Problems problems;
    for (const auto& [name, ignored] : object.members()) {
        if (name != "variable" && name != "separator" && name != "groups")
            problems.push_back({"." + name, "is not a known key"});
    }
    add(problems, ".variable", read_member(object, "variable", variable_fault, read.variable));
    add(problems, ".separator", read_member(object, "separator", separator_fault, read.separator));
    for (ConfigProblem& problem : read_group_map(read, object)) problems.push_back(std::move(problem));
    if (problems.empty()) target = std::move(read);
    return problems;
}

}  // namespace postern::config
