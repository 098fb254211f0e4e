// `login.claimsFromEnvironment` and `login.groupsFromEnvironment`: what the web server says about the user.
#pragma once

#include "config/problems.h"
#include "json/value.h"

namespace postern::config {

/// {"email": "AUTHENTICATE_MAIL"}: claims, and the CGI variables that hold them.
Problems read_claims_from_environment(Config& config, const json::Value& value);

/// {"variable": "MEMBER_OF", "separator": ";", "groups": {"cn=wiki": "wiki"}}: values, and the groups that they stand
/// for. null: none.
Problems read_groups_from_environment(Config& config, const json::Value& value);

}  // namespace postern::config
