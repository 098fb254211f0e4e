// The registration of a site: the client that it is.
#pragma once

#include <string>

#include "gate/site_url.h"
#include "model/client.h"

namespace postern::gate {

/// Returns the client of a new site: code grant and PKCE alone, and no consent page, because the gate asks in the name
/// of the provider itself (GATE-1).
model::Client new_site(const std::string& id, const SiteUrl& url);

/// Gives the site another URL, and the addresses that follow from it.
void set_site_url(model::Client& client, const SiteUrl& url);

/// Returns the URL of a stored site, which parse_site_url has accepted.
SiteUrl url_of(const model::Site& site);

}  // namespace postern::gate
