// In which CGI variables the Authorization header arrives, and why it may not have arrived
// (docs/decisions/0020-authorization-variables.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/variables.h"
#include "server/failure.h"
#include "util/result.h"

namespace postern::server {

/// The header's value in whichever of the variables it arrived; nullopt when none of them has one. Refused (400) are
/// variables that contradict each other, and values that are several headers in one.
util::Result<std::optional<std::string>, Failure> find_authorization(const gateway::Variables& variables,
                                                                     const std::vector<std::string>& names);

/// For the operator, when credentials that should be in the header are missing: what this web server must be told.
std::string explain_missing_authorization(const gateway::Variables& variables, const std::vector<std::string>& names);

/// What makes the web server of that name (SERVER_SOFTWARE, or the header Server) pass the header on.
std::string_view passing_directive(std::string_view software);

}  // namespace postern::server
