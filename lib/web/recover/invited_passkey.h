// A passkey in the place of the password that an invited user would choose.
// docs/decisions/0086-invitation-by-passkey.md
#pragma once

#include "login/passkey_setup.h"
#include "model/link.h"
#include "oauth/context.h"
#include "store/links.h"

namespace postern::web {

/// Returns true for an invitation where a passkey alone signs users in (LINK-7).
bool takes_passkey(const oauth::Settings& settings, model::LinkPurpose purpose);

/// Returns the setup of a passkey for the user of `link` that is good without a password. The browser has an id.
login::PasskeySetup invited_setup(oauth::Context& context, const login::Browser& browser, const http::Request& request,
                                  const model::Link& link);

/// Returns the values of the form. Only the ids of the passkeys that the user has already are read.
login::NewPasskey ask_for_invited_passkey(const login::PasskeySetup& setup, const store::FoundLink& found);

/// The result of add_invited_passkey. A refusal leaves the link as it is.
struct InvitedPasskey {
    bool is_spent = false;  ///< false without a refusal: the link is not good any more
    std::optional<login::PasskeyRefusal> refusal = {};
};
/// Adds the passkey and spends the link, or does neither. The user gets no recovery codes: their key is
/// factor.key, which this program may not read. No session begins and none ends.
InvitedPasskey add_invited_passkey(oauth::Context& context, const login::Browser& browser, const model::Link& link,
                                   const login::ProvedPasskey& proved);

}  // namespace postern::web
