// Which CGI variables this server reads (RFC 3875 §4.1), and which of their names are one and the same.
#include "gateway/variables.h"

#include <algorithm>

#include "util/text.h"

namespace postern::gateway {
namespace {

constexpr std::size_t kLongestVariable = 128;

constexpr std::string_view kNames[] = {"REQUEST_METHOD",
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
                                       "HTTP_ACCESS_CONTROL_REQUEST_HEADERS"};

/// Headers that come twice are joined with a comma (RFC 9110 §5.3), and nginx before 1.23 leaves that to its programs.
/// Each program that reads this one refuses a comma with an error of its own.
constexpr std::string_view kProof = "HTTP_DPOP";
void join_twice(Variables& variables) {
    for (auto& [name, value] : variables.values)
        if (name == kProof) value = ", ";
}

bool is_variable_character(char c) { return util::is_letter(c) || util::is_digit(c) || c == '_' || c == '-'; }

bool is_read(std::string_view name, const std::vector<std::string>& also) {
    return std::ranges::find(kNames, name) != std::end(kNames) || std::ranges::find(also, name) != also.end();
}

void note_clue(Clues& clues, std::string_view name, std::string_view value) {
    if (value.empty()) return;  // nginx passes every variable that its configuration names
    if (name == "SERVER_SOFTWARE") clues.software = value;
    if (name == "AUTH_TYPE" || name == "REMOTE_USER") clues.user = true;
    constexpr std::string_view kEnding = "authorization";
    if (name.size() < kEnding.size() || !util::equal_ignoring_case(name.substr(name.size() - kEnding.size()), kEnding))
        return;
    if (!authorization_variable_fault(name)) clues.authorization.push_back(name);
}

}  // namespace

bool is_variable_name(std::string_view name) {
    return !name.empty() && name.size() <= kLongestVariable && !util::is_digit(name.front()) &&
           std::ranges::all_of(name, is_variable_character);
}

std::string plain_name(std::string_view name) {
    std::string plain = util::to_upper(name);
    std::ranges::replace(plain, '-', '_');
    constexpr std::string_view kRedirect = "REDIRECT_";
    while (plain.starts_with(kRedirect)) plain.erase(0, kRedirect.size());
    return plain;
}

std::optional<std::string> authorization_variable_fault(std::string_view name) {
    const std::string plain = plain_name(name);
    const bool is_header = plain.starts_with("HTTP_");
    if (is_variable_name(name) && (is_header ? plain == "HTTP_AUTHORIZATION" : plain.ends_with("AUTHORIZATION")))
        return std::nullopt;
    return "must be HTTP_AUTHORIZATION or the name of a variable that a rewrite rule copies the header into, which "
           "ends in AUTHORIZATION and is not another header (HTTP_...); the prefix REDIRECT_ is allowed";
}

std::optional<std::string_view> Variables::find(std::string_view name) const {
    const auto found = std::ranges::find(values, name, &std::pair<std::string_view, std::string_view>::first);
    return found == values.end() ? std::nullopt : std::optional(found->second);
}

Variables collect_variables(const char* const* environment, const std::vector<std::string>& also) {
    Variables variables;
    variables.values.reserve(std::size(kNames) + also.size());
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const std::string_view entry(*environment);
        const std::size_t equals = entry.find('=');
        if (equals == entry.npos) continue;
        const std::string_view name = entry.substr(0, equals);
        const std::string_view value = entry.substr(equals + 1);
        if (!is_read(name, also)) {
            note_clue(variables.clues, name, value);
        } else if (!variables.has(name)) {
            variables.values.emplace_back(name, value);
        } else if (name == kProof) {
            join_twice(variables);
        } else if (variables.duplicate.empty()) {
            variables.duplicate = name;
        }
    }
    return variables;
}

}  // namespace postern::gateway
