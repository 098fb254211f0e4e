// The second page of a login: a code, behind the password.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// GET, of a visit with a half login: the form for a code.
http::Response show_second_step(Interaction& interaction, const LoginVisit& visit);

/// POST: a right code completes the login. A wrong one shows the form again; the password is not asked for again.
http::Response submit_second_step(Interaction& interaction, const LoginVisit& visit);

}  // namespace postern::web
