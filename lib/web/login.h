// The login endpoint where users sign in on our own pages.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// GET: the first or the second page of the login for the request in `resume`.
http::Response show_login(Interaction& interaction);

/// POST: what was typed into it (web/first_page.h, web/second_page.h).
http::Response submit_login(Interaction& interaction);

}  // namespace postern::web
