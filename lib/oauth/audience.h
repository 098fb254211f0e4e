// Which audience may a client ask for in its access token? (the `aud` / `audience` parameters, RFC 8707 §2)
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "http/params.h"
#include "oauth/context.h"
#include "oauth/error.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxAudienceBytes = 1024;

/// The one value of `aud` and `audience` in these parameters; nullopt when there is none. Differing values are
/// invalid_target, and one longer than kMaxAudienceBytes is invalid_request. In a token request both may be in the
/// query or the body.
Outcome<std::optional<std::string>> parse_audience(const http::Params& query, const http::Params& form = {});

/// invalid_target for the issuer, its endpoints and the id of a client that takes ID tokens: a token with such an `aud`
/// would pass for one that this server made for that party (RFC 9068 §5).
Outcome<void> check_audience(Context& context, const std::string& audience);

}  // namespace postern::oauth
