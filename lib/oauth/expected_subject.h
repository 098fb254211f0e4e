// The user whom a client expects: `id_token_hint`, the claims parameter and `login_hint` (OpenID Connect Core
// §3.1.2.1, RP-Initiated Logout 1.0 §2).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/params.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "oauth/error.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxLoginHintBytes = 256;  ///< a longer value is not a user name

/// The payload of an ID token that this server signed.
struct IdTokenHint {
    model::Subject subject;
    model::ClientId client_id;  ///< `aud`: the client that the token was issued to
    model::Sid sid;
};

/// Reads an ID token that this server signed for any client, expired ones included: both specifications want them
/// accepted. nullopt for every other token. Needs Keys opened for verify.
std::optional<IdTokenHint> verify_id_token_hint(Context& context, std::string_view token);

/// Returns the one user for whom the request may be answered: the `sub` of `id_token_hint`, or `claimed` (the `sub` of
/// the claims parameter). invalid_request for a hint that is not an ID token of ours, expiry aside, and when the two
/// differ. Without OpenID Connect there are no ID tokens and the parameter is ignored. Needs Keys opened for verify.
Outcome<std::optional<model::Subject>> parse_expected_subject(Context& context, const http::Params& params,
                                                              std::optional<model::Subject> claimed);

/// Returns true if `text` can be a user name: it is not too long and can be shown.
bool can_be_login_hint(std::string_view text);

/// Returns the name that fills the login form. Text that is too long or cannot be shown is ignored, never an error.
std::optional<std::string> parse_login_hint(const http::Params& params);

}  // namespace postern::oauth
