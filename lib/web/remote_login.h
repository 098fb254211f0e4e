// The login endpoint where the web server authenticates people: there is no form, and no password is looked at.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// Logs in whom the web server names, for the request in `resume`, and goes on to the authorization endpoint; a request
/// that wants a login which cannot be proved is answered with `login_required`. Nobody named, nobody known and nobody
/// enabled get a page.
http::Response remote_login(Interaction& interaction);

}  // namespace postern::web
