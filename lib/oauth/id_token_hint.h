// Which user does an ID token hint name? (OpenID Connect Core §3.1.2.1, RP-Initiated Logout 1.0 §2)
#pragma once

#include <optional>
#include <string_view>

#include "model/ids.h"
#include "oauth/context.h"

namespace postern::oauth {

struct IdTokenHint {
    model::Subject subject;
    model::ClientId client_id;  ///< whose ID token it was: `aud`
    model::Sid sid;
};

/// From an ID token that this server signed for any client, expired ones included: both specifications want them
/// accepted. nullopt for everything else. Needs Keys opened for verify.
std::optional<IdTokenHint> verify_id_token_hint(Context& context, std::string_view token);

}  // namespace postern::oauth
