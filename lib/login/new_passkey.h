// What a page with the form of a new passkey is told.
#pragma once

#include <string>

#include "text/message.h"

namespace postern::login {

/// What a browser makes a new passkey with, and the form that takes its answer.
struct NewPasskey {
    std::string options;  ///< JSON, PublicKeyCredentialCreationOptions with bytes in base64url; "": none is added here
    std::string challenge;  ///< sealed
    text::Message name;     ///< the one that is proposed, or was typed before
};

}  // namespace postern::login
