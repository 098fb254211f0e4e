// A user's login in one browser.
#pragma once

#include <string>

#include "model/authentication.h"
#include "model/ids.h"
#include "util/clock.h"

namespace postern::model {

/// The web server let the user in and did not say when it had asked who that is.
inline constexpr util::Time kAuthTimeUnknown{};

struct Session {
    ValueHash cookie_hash;  ///< of the cookie's present value; a new one at each login
    Sid sid;
    Subject subject;
    util::Time auth_time{};  ///< of the last login, or kAuthTimeUnknown
    util::Time created_at{};
    util::Time last_seen_at{};
    util::Time expires_at{};  ///< absolute
    std::string agent;        ///< browser and system, as the account's pages name them; "": not known
    std::string address;      ///< from which it was begun; "": not kept
    Authentication how = {};  ///< level unknown: by the web server, or begun before sessions kept it

    bool operator==(const Session&) const = default;
};

}  // namespace postern::model
