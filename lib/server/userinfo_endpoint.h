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
/// installed one; returns its exit code. Everything else, from the configuration to the checks of the token, is as
/// there.
///
///     int main() {
///         return postern::server::serve_userinfo([](const postern::model::Subject& subject) { ... },
///                                                {.read = {"/var/lib/claims"}});
///     }
///
/// The callback is what the interface specification calls `getUserClaims(subject)`:
/// - It receives the `sub` of a user who exists and is enabled, of a token that is active and has the scope `openid`.
///   It is called once per request that gets that far, and never by two threads: a process answers one request at a
///   time.
/// - It returns claims by their names in OpenID Connect Core §5.1, as many as it has: those that the token does not
///   release, and unknown ones, are dropped. `sub` is always the token's own; one that it returns is ignored.
/// - When it cannot tell, it throws, and the client gets no claims: db::StoreError is answered with 503 and
///   Retry-After, everything else with 500. The message goes to the log alone. To return nothing says that the user has
///   no claims.
/// - It can open nothing but what `needs` names, and start nothing: see SandboxPermissions in server/endpoint.h. Files
///   that are open before this function is called, or are opened by the one below, stay open.
/// Configuration of its own belongs into a file or the process environment, never into HTTP_ variables, which clients
/// write.
int serve_userinfo(const oidc::GetUserClaims& get_user_claims, const SandboxPermissions& needs = {});

/// Serves it with a callback that needs the database or the settings: oidc::database_claims is one, and
/// store::find_user(context.store, subject) gives the user's name, under which other directories know people. The
/// callback is made once, before the first request and outside of the sandbox.
int serve_userinfo(const MakeGetUserClaims& make_get_user_claims, const SandboxPermissions& needs = {});

}  // namespace postern::server
