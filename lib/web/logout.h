// The logout endpoint as a browser sees it (OpenID Connect RP-Initiated Logout 1.0): whom it asks, and where it leads.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// A client's request. By GET it is answered: the user whom its hint names is logged out at once, anybody else is asked
/// first, and where nobody is logged in there is nothing left to do. By POST it goes on as a GET with the request
/// sealed, since a browser sends no SameSite cookies with a form of another site.
http::Response start_logout(Interaction& interaction);

/// GET with `resume`: the request that was posted.
http::Response resume_logout(Interaction& interaction);

/// POST with `resume`: what the user said to the question.
http::Response answer_logout(Interaction& interaction);

}  // namespace postern::web
