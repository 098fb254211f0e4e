// `login.saslauthd`: how saslauthd is reached, and what it is told besides name and password.
#pragma once

#include "config/problems.h"
#include "json/value.h"

namespace postern::config {

/// {"socket": "/run/saslauthd/mux", "service": "postern", "realm": ""}; each may be left out.
Problems read_saslauthd(Config& config, const json::Value& value);

}  // namespace postern::config
