// The logout endpoint as a browser sees it (OpenID Connect RP-Initiated Logout 1.0): when it asks the user, and where
// it redirects.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// Answers a client's request. By GET it is carried out: the user that its hint names is logged out at once, another
/// user is asked first, and without a session there is nothing to end. By POST it continues as a GET with the request
/// sealed, because a browser sends no SameSite cookies with a form of another site.
http::Response start_logout(Interaction& interaction);

/// Answers a GET with `resume`: the request that was posted.
http::Response resume_logout(Interaction& interaction);

/// Answers a POST with `resume`: the user's decision.
http::Response answer_logout(Interaction& interaction);

}  // namespace postern::web
