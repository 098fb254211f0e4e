// The login endpoint: on our own pages, or by the word of the web server.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// Answers a GET: the first or the second page of the login for the request in `resume`.
http::Response show_login(Interaction& interaction);

/// Answers a POST of one of the two pages (web/login_pages.h).
http::Response submit_login(Interaction& interaction);

/// Logs in the user that the web server names, without a form, for the request in `resume`, and continues at the
/// authorization endpoint; a request that wants a login which cannot be proved is answered with `login_required`. Shows
/// an error page when no user is named, or the named one is unknown or disabled. With `login.remoteLevel` 1 the second
/// page comes next where a second factor is missing, and its form is posted here.
http::Response remote_login(Interaction& interaction);

}  // namespace postern::web
