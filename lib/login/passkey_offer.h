// The facts that a page gives to the script that asks the browser for a passkey, or for a new one.
#pragma once

#include <string>

#include "text/message.h"

namespace postern::login {

/// The passkeys that a page of a login offers. Without options no passkey is offered.
struct PasskeyOffer {
    std::string options;    ///< JSON: `publicKey` of navigator.credentials.get(), bytes in base64url
    std::string challenge;  ///< sealed
};

/// The facts with which a browser makes a new passkey, and the form that takes its answer.
struct NewPasskey {
    std::string options;  ///< JSON, PublicKeyCredentialCreationOptions with bytes in base64url; "": none is added here
    std::string challenge;  ///< sealed
    text::Message name;     ///< the one that is proposed, or was typed before
};

}  // namespace postern::login
