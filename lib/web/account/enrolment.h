// The second half of a login by a user who must have a second factor and has none: the user adds a passkey or turns an
// authenticator app on, and the login is whole with it (POLICY-4).
#pragma once

#include "oauth/settings.h"
#include "web/account/page.h"
#include "web/interaction.h"

namespace postern::web {

/// Where a second factor is asked for. With `login.enrolment` "link" it serves users who have just used one, so not
/// where no page opens links.
bool has_enrolment_page(const oauth::Settings& settings);

/// GET, of a visit with a half login: the form that makes a passkey, and the key of an app with the
/// form for its first code. A client that wants level 3 is not served with an app. Otherwise 303 to the login page.
http::Response show_enrolment(Interaction& interaction, const AccountPages& pages);

/// POST: a passkey is added, or a right code turns the app on, and the session starts, in one transaction. The answer
/// shows the recovery codes, with the way on to what the login was for.
http::Response submit_enrolment(Interaction& interaction, const AccountPages& pages);

}  // namespace postern::web
