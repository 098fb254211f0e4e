// What does a new passkey bring its signed-in user? Recovery codes with the first one, and a login that is worth more.
#pragma once

#include <string>
#include <vector>

#include "db/database.h"
#include "login/passkey_setup.h"
#include "model/authentication.h"
#include "web/interaction.h"

namespace postern::web {

/// web::ask_for_passkey with what the account knows of the user.
login::NewPasskey ask_for_own_passkey(const login::PasskeySetup& setup);

/// web::add_passkey. Returns recovery codes to show when this is the first second factor: none where no second factor
/// is asked for, or factor.key is missing.
util::Result<std::vector<std::string>, login::PasskeyRefusal> add_own_passkey(Interaction& interaction,
                                                                              db::Transaction& transaction,
                                                                              const login::ProvedPasskey& proved);

/// The same form has added it before: the button was pressed twice.
bool is_added(oauth::Context& context, const login::ProvedPasskey& proved);

/// What a login is worth whose user has just made that passkey: a touch counts as a code does, and a passkey that has
/// verified the user as at a login.
model::Authentication with_new_passkey(const model::Authentication& done, const login::ProvedPasskey& proved);

/// A login by a passkey that has verified its user, and by nothing else.
bool was_by_passkey_alone(const model::Authentication& how);

}  // namespace postern::web
