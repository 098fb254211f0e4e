// The authorization endpoint as a browser sees it: start, resume, and the step that comes next (RFC 6749 §4.1.1,
// §4.1.2).
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// Answers a new request: verified, parsed, and carried to the next step. Posted ones are sealed and continue by GET,
/// since a cross-site POST brings no SameSite cookies.
http::Response start_authorization(Interaction& interaction);

/// Answers a request that comes back from the login or consent page; every other query parameter is ignored.
http::Response resume_authorization(Interaction& interaction);

}  // namespace postern::web
