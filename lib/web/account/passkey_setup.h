// How is a passkey added? The browser is asked for a new one, and its answer is verified (WebAuthn §7.1). The page of
// the passkeys and the login of a user who must have a second factor do the same.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/database.h"
#include "model/authentication.h"
#include "oauth/settings.h"
#include "store/passkeys.h"
#include "util/result.h"
#include "web/account/page.h"
#include "web/interaction.h"
#include "web/passkey_challenge.h"

namespace postern::web {

/// Where Postern checks passwords itself, passkeys are good for something, and there is an RP ID for them.
bool can_have_passkeys(const oauth::Settings& settings);

/// Whose passkey it will be, and where it is asked for.
struct PasskeySetup {
    Interaction& interaction;  ///< of a browser that has an id
    model::Subject subject;
    std::string occasion;  ///< the sid of the session, or the key of the login's request
};

/// For the page with the form. Nothing is stored.
NewPasskey ask_for_passkey(const PasskeySetup& setup);

/// Whether the form that came has the answer of an authenticator.
bool has_new_passkey(const http::Params& sent);
/// The first of its fields that came twice, or is not what the script of the page makes.
std::optional<std::string> faulty_new_passkey_field(const http::Params& sent);

/// A passkey whose registration is right.
struct ProvedPasskey {
    store::Passkey row;
    Challenge challenge;
    bool user_verified = false;
};

struct PasskeyRefusal {
    const char* problem;  ///< for the user
    std::string detail;   ///< for the operator; nothing that was sent
};

inline constexpr const char* kTooManyPasskeys =
    text::tr("You have as many passkeys as there can be. Remove one first.");
inline constexpr const char* kAccountChanged = text::tr("Your account was changed meanwhile. Try again.");
inline constexpr const char* kLongPasskeyName = text::tr("A name has at most 64 characters.");

/// What a user called a passkey, as it is shown; "": nothing of it would be. nullopt: it is too long.
std::optional<std::string> passkey_name_in(const http::Params& sent);

/// Looks at the fields of a form that faulty_new_passkey_field() has passed.
util::Result<ProvedPasskey, PasskeyRefusal> prove_new_passkey(const PasskeySetup& setup);

/// The user's from now on; its challenge is spent. Returns recovery codes to show when this is the first second factor:
/// none where no second factor is asked for, or factor.key is missing. After a refusal the transaction has to be rolled
/// back. It holds the user's row (store::find_user_to_change).
util::Result<std::vector<std::string>, PasskeyRefusal> add_passkey(Interaction& interaction,
                                                                   db::Transaction& transaction,
                                                                   const ProvedPasskey& proved);

/// The same form has added it before: the button was pressed twice.
bool is_added(oauth::Context& context, const ProvedPasskey& proved);

/// What a login is worth whose user has just made that passkey: a touch counts as a code does, and a passkey that has
/// verified the user as at a login.
model::Authentication with_new_passkey(const model::Authentication& done, const ProvedPasskey& proved);

}  // namespace postern::web
