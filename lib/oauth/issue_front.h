// Gives a client the tokens that a user's approval is worth, in the answer of the authorization endpoint, once per
// request: with a code beside them or without (RFC 6749 §4.2.2, OpenID Connect Core §3.2.2.5, §3.3.2.5).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "oauth/access_token.h"
#include "oauth/approval.h"
#include "oauth/context.h"
#include "oauth/redirect_uri.h"
#include "util/result.h"

namespace postern::oauth {

/// The answer that an ID token is about, and stands in.
struct FrontAnswer {
    const model::Client& client;
    const model::Grant& grant;
    const model::AuthorizationRequest& request;
    std::optional<std::string> code = std::nullopt;
    std::optional<AccessTokenIssue> access = std::nullopt;
    std::size_t claim_bytes = kMaxClaimBytes;  ///< that its claims may have
};

/// Makes the ID token of an answer.
using MakeFrontIdToken = std::function<std::string(const FrontAnswer&)>;

struct FrontTokens {
    std::optional<std::string> code;
    std::optional<std::string> access_token;
    util::Seconds expires_in{};  ///< of the access token
    model::Scope scope;          ///< of the access token
    std::optional<std::string> id_token;
};

/// Returns what the response type of the request names. Everything is signed before anything is written, and then is
/// recorded in one transaction. An access token has no audience, and no refresh token comes with it (§4.2.2). An ID
/// token alone has no grant: nothing is left that could end. `make_id_token` is called for response types with
/// id_token.
util::Result<FrontTokens, NotIssued> issue_front_tokens(Context& context, const VerifiedRedirect& target,
                                                        const Approval& approval,
                                                        const MakeFrontIdToken& make_id_token);

}  // namespace postern::oauth
