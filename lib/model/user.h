// A person who can log in. The password hash is not here, because only a login and the command may read it.
#pragma once

#include <string>

#include "json/value.h"
#include "model/ids.h"
#include "util/clock.h"

namespace postern::model {

struct User {
    Subject subject;
    std::string username;  ///< what is typed at login: UTF-8, no control characters, unique
    json::Object claims;   ///< OpenID Connect Core §5.1 names
    bool enabled = true;
    util::Time created_at{};
    util::Time updated_at{};
};

}  // namespace postern::model
