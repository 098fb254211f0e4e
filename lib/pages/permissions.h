// The lines of the consent page: the permissions that a client asks for.
#pragma once

#include <string>
#include <vector>

#include "model/authorization.h"
#include "model/client_claim.h"
#include "model/resource.h"
#include "oauth/context.h"
#include "oauth/settings.h"
#include "pages/page.h"

namespace postern::pages {

/// Returns a line for each scope in the order of the request, then one for each claim asked for by name that none of
/// these scopes covers, and for each that the client is told about the user under a name of its own: nothing is granted
/// that is not shown, and nothing is shown twice.
std::vector<ConsentScope> permissions(const oauth::Settings& settings, const model::AuthorizationRequest& request,
                                      const std::vector<model::ClientClaim>& own_claims);

/// Returns the operator's name for each API, with its URI: an application can ask for an API whose name says something
/// else.
std::vector<std::string> describe_resources(oauth::Context& context, const model::ResourceUris& uris);

}  // namespace postern::pages
