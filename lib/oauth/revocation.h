// The end of a token or a code that a client gives back (RFC 7009)
#pragma once

#include <optional>
#include <string_view>

#include "model/ids.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "oauth/presented_token.h"

namespace postern::oauth {

/// The client that asks. nullopt when `authenticateRevoke` is false: then credentials are ignored, and any caller that
/// has a token may revoke it. A public client is identified by its id alone. Else invalid_client.
Outcome<std::optional<model::ClientId>> authenticate_revoker(Context& context, const PresentedTokenRequest& asked,
                                                             const http::Request& request);

/// Ends what belongs to `client`, durably before it returns; everything else stays as it is, and the caller is not told
/// the difference (RFC 7009 §2.2). What ends:
///  - refresh token: its whole grant, access tokens included. The refresh token may be spent or expired: the
///    client may never have received its successor, and the request means "end this grant".
///  - access token, expired or not: itself and the refresh tokens of its grant; other access tokens live on.
///  - authorization code, asked for by hint: the code, unless it has been redeemed.
/// Returns what was done, for the operator's log.
std::string_view revoke(Context& context, const std::optional<model::ClientId>& client, const PresentedToken& token);

}  // namespace postern::oauth
