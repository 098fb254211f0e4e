// The pages on which users manage their own account (`account`).
#pragma once

#include <string>
#include <vector>

#include "util/clock.h"

namespace postern::web {

/// The rules of the account pages; docs/decisions/0070-account-pages.md.
struct AccountSettings {
    util::Seconds reauthentication{600};       ///< so long after a login changes need no new one
    bool addresses = true;                     ///< addresses of sessions and of activity are kept and shown
    std::vector<std::string> editable_claims;  ///< standard claims that users change themselves
};

}  // namespace postern::web
