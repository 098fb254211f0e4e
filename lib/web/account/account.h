// The pages of a user's account: which there are, and what is asked before one is shown.
#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "oauth/settings.h"
#include "web/account/page.h"
#include "web/interaction.h"

namespace postern::web {

/// The paths of the pages that this configuration offers, relative to the issuer; none with `paths.account: null`.
std::vector<std::string> account_paths(const oauth::Settings& settings);

/// As Interaction::language, where the claim `locale` of the signed-in user counts too: this program may read it.
const text::Catalogue& account_language(Interaction& interaction);

/// The page that the request's path names. Without a session the login comes first. A GET changes nothing; a POST
/// changes something when it is a form of this browser, session and page.
http::Response account(Interaction& interaction, const AccountPages& pages);

}  // namespace postern::web
