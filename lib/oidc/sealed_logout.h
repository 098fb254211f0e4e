// A logout request on its way through a browser that may not change it: sealed, with its expiry inside.
#pragma once

#include <string>
#include <string_view>

#include "oauth/sealed_request.h"
#include "oidc/logout_request.h"
#include "util/result.h"

namespace postern::oidc {

struct SealedLogout {
    LogoutRequest request;
    /// The browser that the request belongs to, as in oauth::SealedRequest, or "" for a request that was posted by
    /// another site, which is worth no more than the same request in an address.
    std::string browser;
};

std::string seal_logout(oauth::Context& context, const SealedLogout& sealed);
util::Result<SealedLogout, oauth::SealFault> open_logout(oauth::Context& context, std::string_view text);

}  // namespace postern::oidc
