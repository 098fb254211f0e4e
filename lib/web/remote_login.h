// The login endpoint where the web server authenticates users: no form and no password.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// Logs in the user that the web server names, for the request in `resume`, and continues at the authorization
/// endpoint; a request that wants a login which cannot be proved is answered with `login_required`. An error page is
/// shown when no user is named, or the named one is unknown or disabled. With `login.remoteLevel` 1 the second half of
/// the login comes next where one is missing, and its form is posted here (web/second_page.h).
http::Response remote_login(Interaction& interaction);

}  // namespace postern::web
