// Ends sessions when a user logs out.
#pragma once

#include "model/session.h"
#include "oauth/context.h"

namespace postern::oidc {

/// The session, every grant given in it that is not for offline access, and what the user has logged in for or decided
/// without an answer yet. Together or not at all, and durable before the answer: a logout that the user saw must not
/// come undone. Other sessions of the user live on; a request that is open there asks once more.
void end_session(oauth::Context& context, const model::Session& session);

}  // namespace postern::oidc
