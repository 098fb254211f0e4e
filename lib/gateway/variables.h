// The CGI variables that this server reads, and no others (RFC 3875 §4.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postern::gateway {

/// What tells of an Authorization header that was on its way here, in variables that are not read: names, never values.
struct Clues {
    std::vector<std::string_view> authorization;  ///< variables with a value that look as if they held the header
    bool user = false;                            ///< AUTH_TYPE or REMOTE_USER has a value
    std::string_view software;                    ///< SERVER_SOFTWARE, believed for advice only
};

/// In the transport's memory, which ends with the request. Unknown names are left out, which leaves `HTTP_*` of a
/// client's choice without any way to be read.
struct Variables {
    std::vector<std::pair<std::string_view, std::string_view>> values;  ///< names and their values, each name once
    std::string_view duplicate;                                         ///< the first known name that came twice, or ""
    Clues clues;

    /// "" when absent.
    std::string_view get(std::string_view name) const { return find(name).value_or(""); }
    bool has(std::string_view name) const { return find(name).has_value(); }

private:
    std::optional<std::string_view> find(std::string_view name) const;
};

/// From an environment as environ(7) has it: `NAME=value` strings, then nullptr. Of duplicates the first counts. `also`
/// names variables of the operator's choice, which are read like the known ones.
Variables collect_variables(const char* const* environment, const std::vector<std::string>& also = {});

}  // namespace postern::gateway
