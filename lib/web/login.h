// The login page: shows the form, checks the password, starts the session.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// GET: the form for the request in `resume`.
http::Response show_login(Interaction& interaction);

/// POST: a passkey, or a right password starts a session and sends the browser back to the authorization endpoint, or
/// to the second half of the login where one is missing (web/second_step.h). A wrong one, an unknown and a disabled
/// user show the form again in the same words after the same work.
http::Response submit_login(Interaction& interaction);

/// The form for name and password, and for a passkey, for a visit without a half login, with a sentence about what has
/// happened.
http::Response show_first_step(Interaction& interaction, const LoginVisit& visit, const text::Message& message);

}  // namespace postern::web
