// The page of a user's authenticator app: it is set up, replaced and removed there.
#pragma once

#include "oauth/settings.h"
#include "web/account/visit.h"

namespace postern::web {

/// Where Postern checks passwords itself, unless second factors are off. The page of recovery codes is there with it.
bool has_app_page(const oauth::Settings& settings);

/// The app that is on, or one that can be turned on. That one has a new key each time, and needs a recent login.
/// Without factor.key the page says that apps are not set up here.
http::Response show_app(AccountVisit& visit);

/// After a recent login. Turns an app on when a code of it is right, in place of the one that was on (TOTP-7), or
/// removes it. With the first second factor there are recovery codes: they are the answer then, and otherwise it is
/// 303.
http::Response submit_app(AccountVisit& visit);

}  // namespace postern::web
