// Signed answers of the authorization endpoint (JWT Secured Authorization Response Mode, JARM).
#pragma once

#include <string>

#include "crypto/key.h"
#include "http/url.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/redirect_uri.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// The time in which a client has to read a signed answer (JARM §2.1: ten minutes at most).
inline constexpr util::Seconds kSignedResponseTtl{300};

/// Returns the algorithm that the client is registered for, or the default, whether it is offered or not: RS256 where
/// ID tokens may have it (JARM §3), else the first of `idTokenAlgorithms`.
crypto::Algorithm wanted_response_algorithm(const Settings& settings, const model::Client& client);

/// Throws std::runtime_error if the answer of this target is to be signed and cannot be. Called before anything is
/// spent.
void check_can_answer(const Context& context, const VerifiedRedirect& target);

/// Returns the token that stands for the parameters of an answer, `iss` and `state` among them (JARM §2.1). It has no
/// `sub` and no `iat`, and a `typ` of its own, so that it passes for no other token. Needs Keys opened for sign. Throws
/// as check_can_answer.
std::string sign_response(Context& context, const model::Client& client, const http::Parameters& parameters);

}  // namespace postern::oauth
