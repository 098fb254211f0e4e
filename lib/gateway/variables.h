// The CGI variables that this server reads, and no others (RFC 3875 §4.1).
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postern::gateway {

/// Names and their values, in the order in which they came.
using NamedValues = std::vector<std::pair<std::string_view, std::string_view>>;

/// What tells of an Authorization header that was on its way here: names, never values.
struct Clues {
    std::set<std::string> authorization;  ///< variables with a value that look as if they held the header
    bool user = false;                    ///< AUTH_TYPE or REMOTE_USER has a value
    std::string software;                 ///< SERVER_SOFTWARE, believed for advice only
};

/// A copy: the transport's memory ends with the request. Unknown names are left out, which leaves `HTTP_*` of a
/// client's choice without any way to be read.
struct Variables {
    std::map<std::string, std::string, std::less<>> values;
    std::string duplicate;  ///< the first known name that was given twice, or ""
    Clues clues;

    /// "" when absent.
    std::string_view get(std::string_view name) const;
    bool has(std::string_view name) const { return values.find(name) != values.end(); }
};

/// Of duplicates the first counts. `also` names variables of the operator's choice, which are read like the known ones.
Variables collect_variables(const NamedValues& all, const std::vector<std::string>& also = {});
/// The same from an environment as environ(7) has it: `NAME=value` strings, then nullptr.
Variables collect_variables(const char* const* environment, const std::vector<std::string>& also = {});

}  // namespace postern::gateway
