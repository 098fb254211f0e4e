// Finds the bearer token of a request.
#include "oauth/bearer.h"

#include "http/headers.h"
#include "util/text.h"

namespace postern::oauth {

std::optional<std::string_view> bearer_token(const http::Request& request) {
    if (!request.authorization) return std::nullopt;
    const auto [scheme, token] = http::split_credentials(*request.authorization);
    if (!util::equal_ignoring_case(scheme, "bearer") || token.empty()) return std::nullopt;
    return token;
}

}  // namespace postern::oauth
