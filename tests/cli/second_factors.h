// A user with an authenticator app, as the account page leaves one.
#pragma once

#include <string>

#include "installation.h"
#include "model/ids.h"

namespace postern::test {

/// Adds the user. The secret is sealed with the factor.key of the installation.
model::Subject put_app(const Installation& installation, const std::string& name);

}  // namespace postern::test
