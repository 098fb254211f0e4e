// The size of an answer that travels in the URL of a redirect, which web servers and browsers limit.
#pragma once

#include <cstddef>
#include <string_view>

#include "model/authorization.h"
#include "oauth/error.h"
#include "oauth/redirect_uri.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Refuses a request whose answer would be too long for a URL with the shortest tokens that the response type yields,
/// and the scope beside them.
Outcome<void> check_answer_size(const VerifiedRedirect& target, model::ResponseType type, model::ResponseMode mode,
                                const model::Scope& scope, std::string_view nonce);

/// Returns the most bytes that the claims of an ID token may have in an answer with `others` bytes of other tokens, or
/// `most` where there is more room: a form that is posted has no limit.
std::size_t room_for_claims(const VerifiedRedirect& target, std::size_t others, std::size_t most);

}  // namespace postern::oauth
