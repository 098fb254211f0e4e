// The passkeys that the pages of a login offer to the browser.
#pragma once

#include "pages/page.h"
#include "text/message.h"
#include "web/interaction.h"

namespace postern::web {

/// Offers any passkey of this server, whose authenticator verifies the user. Empty where no login begins with one.
pages::PasskeyOffer offer_passkey_login(Interaction& interaction, const LoginVisit& visit);
/// Offers the passkeys of the half login's user, of which a touch is enough. Empty where there are none.
pages::PasskeyOffer offer_passkey_step(Interaction& interaction, const LoginVisit& visit);

/// The sentence for each refusal of a passkey.
inline constexpr const char* kPasskeyRefused = text::tr("That passkey was not accepted.");

}  // namespace postern::web
