// The UserInfo endpoint as a function, so that a provider with its own source of claims is a program of three lines.
#pragma once

#include <functional>

#include "oauth/context.h"
#include "oidc/claims.h"
#include "server/endpoint.h"

namespace postern::server {

/// Makes the callback from what the process has opened; `context` lives as long as the callback.
using MakeGetUserClaims = std::function<oidc::GetUserClaims(oauth::Context& context)>;

/// Serves the UserInfo endpoint (OpenID Connect Core §5.3) as `main` of an executable that takes the place of the
/// installed one, and is like it in everything but the claims; returns its exit code.
///
///     int main() {
///         return postern::server::serve_userinfo([](const postern::model::Subject& subject) { ... },
///                                                {.read = {"/var/lib/claims"}});
///     }
///
/// The callback is what the interface specification calls `getUserClaims(subject)`:
/// - It receives the `sub` of a user who exists and is enabled, of a token that is active and has the scope `openid`.
///   It is called once per request that gets that far, and never by two threads.
/// - It returns claims by their names in OpenID Connect Core §5.1. Unknown ones, `sub`, and those that the token does
/// not
///   release are dropped.
/// - When it cannot tell, it throws: db::StoreError is answered with 503 and Retry-After, everything else with 500, and
///   the message goes to the log alone. Returning no claims says that the user has none.
/// - It can open nothing but what `needs` names, and start nothing: see SandboxPermissions in server/endpoint.h. Files
///   that are open before this function is called, or are opened by the one below, stay open.
/// Its own configuration belongs into a file or the environment, never into HTTP_ variables, which clients write.
int serve_userinfo(const oidc::GetUserClaims& get_user_claims, const SandboxPermissions& needs = {});

/// Serves it with a callback that needs the database or the settings: oidc::database_claims is one, and
/// store::find_user(context.store, subject) gives the user's name, under which other directories know people. The
/// callback is made once, before the first request and outside of the sandbox.
int serve_userinfo(const MakeGetUserClaims& make_get_user_claims, const SandboxPermissions& needs = {});

}  // namespace postern::server
