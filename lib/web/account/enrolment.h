// The second half of a login by a user who must have a second factor and has none: an authenticator app is turned on,
// and the login is whole with its first code (POLICY-4).
#pragma once

#include "oauth/settings.h"
#include "web/account/page.h"
#include "web/interaction.h"

namespace postern::web {

/// Where users have a page for their app, unless `login.enrolment` wants a link for the first one.
bool has_enrolment_page(const oauth::Settings& settings);

/// GET, of a visit with a half login: a key and the form for its first code. Otherwise 303 to the login page.
http::Response show_enrolment(Interaction& interaction, const AccountPages& pages);

/// POST: a right code turns the app on and starts the session, in one transaction. The answer shows the recovery codes,
/// with the way on to what the login was for.
http::Response submit_enrolment(Interaction& interaction, const AccountPages& pages);

}  // namespace postern::web
