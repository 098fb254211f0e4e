// The changes that `client set` may make to a client that a document, the client itself or the URL of a site describes.
#pragma once

#include "cli/client/options.h"
#include "model/client.h"

namespace postern::cli {

/// Throws Refused for an option that is not the operator's choice for this client. Any option is for a client that the
/// operator registered.
void require_changeable(const model::Client& client, const ClientOptions& options);

}  // namespace postern::cli
