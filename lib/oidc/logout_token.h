// Logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.4): what tells a client that a session has ended.
#pragma once

#include <string>

#include "json/value.h"
#include "keys/keys.h"
#include "model/client.h"
#include "oauth/settings.h"
#include "store/logout_outbox.h"
#include "util/clock.h"

namespace postern::oidc {

inline constexpr util::Seconds kLogoutTokenTtl{120};  // §4 recommends two minutes at most

/// Returns the claims of a try at `now`. There is never a `nonce`, by which a client tells an ID token from one.
json::Object logout_token_claims(const oauth::Settings& settings, const store::LogoutNotice& notice, util::Time now);

/// Signs them for the client, with a key of the algorithm of its ID tokens. Throws what oauth::id_token_algorithm_of
/// and keys::Keys throw.
std::string make_logout_token(const oauth::Settings& settings, const keys::Keys& keys, const model::Client& client,
                              const store::LogoutNotice& notice, util::Time now);

}  // namespace postern::oidc
