// Is this a passkey that lets its owner in here? (WebAuthn §7.2)
#pragma once

#include <optional>
#include <string>

#include "factor/passkey.h"
#include "http/message.h"
#include "login/passkey_challenge.h"
#include "login/passkey_offer.h"
#include "login/proof.h"
#include "model/authorization.h"
#include "store/passkeys.h"

namespace postern::login {

/// An answer of an authenticator, in the form that came. With a half login in `asked` it is to be its user's second
/// factor; without one it is a login of its own.
struct PasskeyAttempt {
    oauth::Context& context;
    const Browser& browser;
    const http::Request& request;
    const model::AuthorizationRequest& asked;
    model::Authentication done = {};  ///< what was proved before
};

/// Offers any passkey of this server, whose authenticator verifies the user, on the first page of the login `asked`.
/// Empty where no login begins with one.
PasskeyOffer offer_passkey_login(oauth::Context& context, const Browser& browser,
                                 const model::AuthorizationRequest& asked);
/// Offers the passkeys of the half login's user, of which a touch is enough, on the second page. Empty where there are
/// none.
PasskeyOffer offer_passkey_step(oauth::Context& context, const Browser& browser,
                                const model::AuthorizationRequest& asked);

/// Returns whether the form that came has the answer of an authenticator. A page of before may have been left open.
bool has_passkey(const http::Params& sent);
/// Returns the first of its fields that came twice, or is no text.
std::optional<std::string> faulty_passkey_field(const http::Params& sent);

/// Looks at the answer. A refusal takes no hash slot. A refusal that has made this server look at a signature, because
/// the answer came with a challenge of this page and named a passkey that there is, is counted for the address before
/// it returns: an answer that costs nothing to send does not count against others at that address. A passkey whose
/// counter has not grown is suspended (WebAuthn §6.1.1), unless it is an answer that was accepted before, or the
/// passkey was used since the challenge was issued.
ProofResult attempt_passkey(const PasskeyAttempt& attempt);

/// A passkey whose answer is right.
struct AcceptedPasskey {
    store::Passkey passkey;
    factor::PasskeyUse use;
    Challenge challenge;
};
/// Spends challenge and counter, and forgets codes that were wrong before. False: something was spent, removed or
/// suspended meanwhile.
bool spend_passkey(db::Transaction& transaction, const AcceptedPasskey& accepted, util::Time now);

}  // namespace postern::login
