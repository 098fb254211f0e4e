// The consent page: what the client asks for, and the user's yes or no.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// Answers a GET with the form. Without a session the browser goes back to the authorization endpoint, which asks for a
/// login.
http::Response show_consent(Interaction& interaction);

/// Answers a POST: records the decision and sends the browser back to the authorization endpoint.
http::Response submit_consent(Interaction& interaction);

}  // namespace postern::web
