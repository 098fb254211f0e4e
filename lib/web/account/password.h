// The page on which a user changes the password.
#pragma once

#include "oauth/settings.h"
#include "web/account/visit.h"

namespace postern::web {

/// Where Postern checks passwords itself.
bool has_password_page(const oauth::Settings& settings);

/// After a recent login: the page is a form and nothing else, and what was typed into it would be lost.
http::Response show_password(AccountVisit& visit);

/// The present password, counted as a login's, and the new one twice; behind a login by passkey alone the new one only
/// (ACCOUNT-6). A user without a password who has logged in otherwise changes nothing. With the change everything else
/// of the user ends, as with `postern user passwd`: the other sessions and all grants. This session goes on with
/// another cookie value.
http::Response submit_password(AccountVisit& visit);

}  // namespace postern::web
