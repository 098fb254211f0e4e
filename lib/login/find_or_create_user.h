// Finds or creates the user of a name that something else than Postern has checked.
#pragma once

#include <functional>
#include <string>

#include "db/write.h"
#include "model/user.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::login {

/// A user who was there, or has been made.
struct FoundUser {
    model::User user;
    bool made = false;     ///< now, because there was none
    bool changed = false;  ///< the claims, by what describes the user
};

/// Returns the user whose name this is byte by byte; else creates one without a password, where `autoCreate` and the
/// name allow it; else returns why there is none, for the log. No user is made whose name differs from another one's in
/// its case alone: most directories mean the same person by both, who would have a second account without the second
/// factor of the first (docs/decisions/0101). `describe` may change the claims of a user who is made or enabled, and
/// returns whether it did.
util::Result<FoundUser, std::string> find_or_create_user(oauth::Context& context, db::Transaction& transaction,
                                                         const std::string& username,
                                                         const std::function<bool(model::User&)>& describe);

}  // namespace postern::login
