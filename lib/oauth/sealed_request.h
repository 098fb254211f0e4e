// An authorization request on its way through a browser that may not change it: sealed, with its expiry inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/authorization.h"
#include "oauth/context.h"
#include "util/result.h"

namespace postern::oauth {

struct SealedRequest {
    model::AuthorizationRequest request;
    /// SHA-256 (base64url) of a cookie of the browser it belongs to (docs/decisions/0088); "" for a request that was
    /// posted by another site, which is worth no more than the authorize URL itself.
    std::string browser;
};

enum class SealFault {
    forged,  ///< not made by this server, or made before its seal key was renewed
    expired,
};

/// `browser` as in SealedRequest.
std::string seal_request(Context& context, const model::AuthorizationRequest& request, const std::string& browser);
util::Result<SealedRequest, SealFault> open_request(Context& context, std::string_view text);
/// Opens a request however old it is, only to offer that it be started over. nullopt: forged.
std::optional<SealedRequest> open_stale_request(Context& context, std::string_view text);

/// Seals and opens the request in a pushed address, which opens as nothing else, as nothing else opens as it.
std::string seal_pushed(Context& context, const model::AuthorizationRequest& request);
util::Result<model::AuthorizationRequest, SealFault> open_pushed(Context& context, std::string_view text);

/// The key of the request's row: its id is never stored.
model::RequestKey request_key(const model::AuthorizationRequest& request);
/// The key of the row that says that a request of this push was answered.
model::RequestKey pushed_key(const model::Pushed& pushed);

}  // namespace postern::oauth
