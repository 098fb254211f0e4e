// The login page: shows the form, checks the password, starts the session.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// GET: the form for the request in `resume`.
http::Response show_login(Interaction& interaction);

/// POST: a right password starts a session and sends the browser back to the authorization endpoint. A wrong one, an
/// unknown and a disabled user show the form again in the same words after the same work.
http::Response submit_login(Interaction& interaction);

}  // namespace postern::web
