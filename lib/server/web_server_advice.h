// Advice for the operator: what makes the web server pass on what a request lacks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gateway/body.h"
#include "gateway/variables.h"

namespace postern::server {

/// Explains a request without the Authorization header, which was looked for in the variables `names`
/// (docs/decisions/0020-authorization-variables.md).
std::string explain_missing_authorization(const gateway::Variables& variables, const std::vector<std::string>& names);

/// Returns the directive that makes a web server pass the Authorization header on. `software` is SERVER_SOFTWARE, or
/// the header Server.
std::string_view passing_directive(std::string_view software);

/// Explains a body without its length, by the name of the web server (SERVER_SOFTWARE) and the way its requests arrive.
std::string_view explain_missing_length(std::string_view software, gateway::StreamEnd end);

}  // namespace postern::server
