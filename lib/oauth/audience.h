// The audience that a client may ask for in its access token.
#pragma once

#include <cstddef>
#include <string>

#include "model/client.h"
#include "oauth/context.h"
#include "oauth/error.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxAudienceBytes = 1024;

/// Returns true for the issuer and its endpoints, which are all URLs under it. The comparison ignores user information,
/// query and fragment, decodes percent-encoding and removes dot segments, as a lenient reader would.
bool is_this_server(const std::string& issuer, const std::string& audience);

/// Returns true if the client has a grant that yields ID tokens, whose `aud` is the client's id.
bool takes_id_tokens(const model::Client& client);

/// Returns invalid_target for the issuer, its endpoints and the id of a client that takes ID tokens: a token with such
/// an `aud` would pass for one that this server made for that party (RFC 9068 §5).
Outcome<void> check_audience(Context& context, const std::string& audience);

}  // namespace postern::oauth
