// The page on which a user whose password was set by the operator chooses another one, before the login is whole
// (PASSWORD-5). docs/decisions/0082-passwords-to-change.md
#pragma once

#include "oauth/settings.h"
#include "web/account/page.h"
#include "web/interaction.h"

namespace postern::web {

/// Where passwords are kept here.
bool has_password_change_page(const oauth::Settings& settings);

/// GET, of a visit with a half login in which everything is proved that the login demands: the form for the new
/// password. Otherwise 303 to the login page.
http::Response show_password_change(Interaction& interaction, const AccountPages& pages);

/// POST: the new password is set, and everything ends that the old one has given. The session starts in the same
/// transaction. Where the user must set up a second factor first, the page for that comes next, in the half login.
http::Response submit_password_change(Interaction& interaction, const AccountPages& pages);

}  // namespace postern::web
