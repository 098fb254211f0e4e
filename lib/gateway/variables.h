// CGI variables: how they are named, and the ones that this server reads (RFC 3875 §4.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace postern::gateway {

/// Accepts 1 to 128 letters, digits, - and _, no digit first.
bool is_variable_name(std::string_view name);

/// Writes a name in capitals, with "_" for "-" as servers write it, and without the marks of Apache's internal
/// redirects (REDIRECT_, once for each).
std::string plain_name(std::string_view name);

/// Returns why `name` is refused as one of `authorizationVariables`, as the words after the name ("must be ..."), or
/// nullopt. Accepted are HTTP_AUTHORIZATION, and the name of a rewrite rule's variable that ends in AUTHORIZATION and
/// is not another header; each with any number of REDIRECT_ before it.
std::optional<std::string> authorization_variable_fault(std::string_view name);

/// The signs of an Authorization header that was on its way here, in variables that are not read: names, never values.
struct Clues {
    std::vector<std::string_view> authorization;  ///< variables with a value that look as if they held the header
    bool user = false;                            ///< AUTH_TYPE or REMOTE_USER has a value
    std::string_view software;                    ///< SERVER_SOFTWARE, believed for advice only
};

/// The variables of one request, in the transport's memory, which ends with it. Unknown names are left out, which
/// leaves `HTTP_*` of a client's choice without any way to be read.
struct Variables {
    std::vector<std::pair<std::string_view, std::string_view>> values;  ///< names and their values, each name once
    std::string_view duplicate;                                         ///< the first known name that came twice, or ""
    Clues clues;
    bool is_question = false;  ///< of the FastCGI role AUTHORIZER: may this request pass? The transport says so

    /// Returns the value; "" when absent.
    std::string_view get(std::string_view name) const { return find(name).value_or(""); }
    bool has(std::string_view name) const { return find(name).has_value(); }

private:
    std::optional<std::string_view> find(std::string_view name) const;
};

/// Reads an environment as environ(7) has it: `NAME=value` strings, then nullptr. Of duplicates the first counts.
/// `also` names variables of the operator's choice, which are read like the known ones.
Variables collect_variables(const char* const* environment, const std::vector<std::string>& also = {});

}  // namespace postern::gateway
