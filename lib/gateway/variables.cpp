// The CGI variables that this server reads, and no others (RFC 3875 §4.1).
#include "gateway/variables.h"

#include <algorithm>

#include "gateway/variable_names.h"
#include "util/text.h"

namespace postern::gateway {
namespace {

constexpr std::string_view kNames[] = {
    "REQUEST_METHOD",
    "REQUEST_URI",
    "SCRIPT_NAME",
    "PATH_INFO",
    "QUERY_STRING",
    "CONTENT_TYPE",
    "CONTENT_LENGTH",
    "REMOTE_ADDR",
    "HTTP_COOKIE",
    "HTTP_ORIGIN",
    "HTTP_SEC_FETCH_SITE",
    "HTTP_IF_NONE_MATCH",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_TRANSFER_ENCODING",
    "HTTP_ACCESS_CONTROL_REQUEST_METHOD",
};

bool is_read(std::string_view name, const std::vector<std::string>& also) {
    return std::ranges::find(kNames, name) != std::end(kNames) || std::ranges::find(also, name) != also.end();
}

void note_clue(Clues& clues, std::string_view name, std::string_view value) {
    if (value.empty()) return;  // nginx passes every variable that its configuration names
    if (name == "SERVER_SOFTWARE") clues.software = value;
    if (name == "AUTH_TYPE" || name == "REMOTE_USER") clues.user = true;
    constexpr std::string_view kEnding = "authorization";
    if (name.size() < kEnding.size() || util::to_lower(name.substr(name.size() - kEnding.size())) != kEnding) return;
    if (!authorization_variable_fault(name)) clues.authorization.emplace(name);
}

}  // namespace

std::string_view Variables::get(std::string_view name) const {
    const auto found = values.find(name);
    return found == values.end() ? std::string_view() : std::string_view(found->second);
}

Variables collect_variables(const NamedValues& all, const std::vector<std::string>& also) {
    Variables variables;
    for (const auto& [name, value] : all) {
        note_clue(variables.clues, name, value);
        if (!is_read(name, also)) continue;
        const bool added = variables.values.emplace(name, value).second;
        if (!added && variables.duplicate.empty()) variables.duplicate = name;
    }
    return variables;
}

Variables collect_variables(const char* const* environment, const std::vector<std::string>& also) {
    NamedValues all;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const std::string_view entry(*environment);
        const std::size_t equals = entry.find('=');
        if (equals != entry.npos) all.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
    }
    return collect_variables(all, also);
}

}  // namespace postern::gateway
