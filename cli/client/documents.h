// What an operator may change about a client that a document describes, and what a change means for its row.
#pragma once

#include "cli/client/options.h"
#include "model/client.h"

namespace postern::cli {

/// Throws Refused for options about what the document says.
void refuse_described(const model::Client& client, const ClientOptions& options);

/// The operator has decided something about the client: its row must outlive the time in which no user signs in, or the
/// next approval would make one without that decision. No effect on other clients.
void keep(model::Client& client);

/// Tells that a removed client can come back.
void note_removed(const model::Client& client);

}  // namespace postern::cli
