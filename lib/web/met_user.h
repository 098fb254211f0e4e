// The user of a name that something else than Postern has checked.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "db/write.h"
#include "model/user.h"
#include "oauth/context.h"

namespace postern::web {

struct MetUser {
    model::User user;
    bool made = false;  ///< now, because there was none
};

/// The user whose name this is byte by byte; else one who is made now, without a password, where `autoCreate` and the
/// name allow it; else nullopt. `describe` may change the claims of a user who is made or enabled, and says whether it
/// did.
std::optional<MetUser> meet_user(oauth::Context& context, db::Transaction& transaction, const std::string& username,
                                 const std::function<bool(model::User&)>& describe);

}  // namespace postern::web
