// A login that is a passkey and nothing else (WebAuthn §7.2).
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// POST of the login page, with the answer of an authenticator: starts a session of level 3 and goes on. A refusal
/// shows the page again in the same words whatever was wrong.
http::Response submit_passkey_login(Interaction& interaction, const LoginVisit& visit);

}  // namespace postern::web
