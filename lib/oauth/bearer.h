// The bearer token in the Authorization header of a request (RFC 6750 §2.1)
#pragma once

#include <optional>
#include <string_view>

#include "http/message.h"

namespace postern::oauth {

/// Returns the token; nullopt: no header came, or one of another scheme, or without a token.
std::optional<std::string_view> bearer_token(const http::Request& request);

}  // namespace postern::oauth
