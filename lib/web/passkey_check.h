// Is this a passkey that lets its owner in here? (WebAuthn §7.2)
#pragma once

#include <optional>
#include <string>

#include "factor/assertion.h"
#include "login/passkey_challenge.h"
#include "store/passkeys.h"
#include "web/interaction.h"

namespace postern::web {

/// What the login page gives to the browser: any passkey of this server, whose authenticator verifies the user. Empty
/// where no login begins with a passkey.
pages::PasskeyOffer offer_passkey_login(Interaction& interaction, const LoginVisit& visit);
/// What the second page gives to it: the passkeys of the half login's user, of which a touch is enough.
pages::PasskeyOffer offer_passkey_step(Interaction& interaction, const LoginVisit& visit);

/// Whether the form that came has the answer of an authenticator. A page of before may have been left open.
bool has_passkey(const http::Params& sent);
/// The first of its fields that came twice, or is no text.
std::optional<std::string> faulty_passkey_field(const http::Params& sent);

enum class PasskeyOutcome {
    accepted,   ///< what it says is written by spend_passkey()
    refused,    ///< why is told in the log only
    throttled,  ///< too many failures of the address; nothing was looked at, `wait` until something is
};

struct PasskeyVerdict {
    PasskeyOutcome outcome = PasskeyOutcome::refused;
    util::Seconds wait{};             ///< when throttled
    std::string log_detail = {};      ///< unless it is accepted; nothing that was sent
    bool has_challenge = false;       ///< it came with a challenge of this page
    store::Passkey passkey = {};      ///< the one that was named, if it exists and it came with a challenge
    factor::PasskeyUse use = {};      ///< when accepted
    login::Challenge challenge = {};  ///< when accepted
};

/// Looks at the answer. A refusal takes no hash slot. One that has made this server look at a signature, because it
/// came with a challenge of this page and named a passkey that there is, is counted for the address before this
/// returns: what costs nothing to send does not count against others at that address. A passkey whose counter has not
/// grown is suspended (WebAuthn §6.1.1), unless it is an answer that was accepted before, or the passkey was used since
/// the challenge was issued. Of a visit with a half login it must be a passkey of that user.
PasskeyVerdict check_passkey(Interaction& interaction, const LoginVisit& visit);

/// In the transaction that completes the login: challenge and counter are spent, and codes that were wrong before are
/// forgotten. False: something was spent, removed or suspended meanwhile.
bool spend_passkey(db::Transaction& transaction, const PasskeyVerdict& verdict, util::Time now);

/// For the audit log, once the login is committed: what the passkey says of itself is another thing than before.
void note_changed_passkey(Interaction& interaction, const LoginVisit& visit, const PasskeyVerdict& verdict);

/// What is said of each refusal.
inline constexpr const char* kPasskeyRefused = text::tr("That passkey was not accepted.");

}  // namespace postern::web
