// Which scope does a request get? (RFC 6749 §3.3)
#pragma once

#include <optional>
#include <string>

#include "model/claim_names.h"
#include "model/client.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// openid profile email address phone offline_access: they exist only with OpenID Connect.
const model::Scope& openid_scopes();

/// What discovery names as `scopes_supported` (RFC 8414 §2): the OpenID ones, and those of `scopeDescriptions`.
model::Scope known_scopes(const Settings& settings);

/// What is requested, if the client is registered for every word of it; otherwise invalid_scope, never a silent
/// reduction. Nothing requested: the client's registered scopes without the OpenID ones, possibly none.
/// `offline_access` alone needs no registration. With OpenID Connect off its scopes are unknown. A client that a
/// document describes gets no scope that `clientDocuments.scope` does not have.
Outcome<model::Scope> resolve_scope(const Settings& settings, const model::Client& client,
                                    std::optional<std::string_view> requested);

/// What an authorization request asks for, and what of it is ignored.
struct AskedScope {
    model::Scope scope;
    model::Scope ignored;
};

/// As `resolve_scope`, but where `openid` is requested, words that the issuer does not know are ignored (OpenID Connect
/// Core §3.1.2.1), unless the client is registered for them.
Outcome<AskedScope> resolve_asked_scope(const Settings& settings, const model::Client& client,
                                        std::optional<std::string_view> requested);

/// What is left of a granted scope for a client whose registration may have changed since.
model::Scope still_registered(const Settings& settings, const model::Client& client, const model::Scope& granted);
/// The same for claims that were granted by name: each hangs on a scope that releases it.
model::ClaimNames still_registered(const Settings& settings, const model::Scope& registered,
                                   const model::ClaimNames& granted);

}  // namespace postern::oauth
