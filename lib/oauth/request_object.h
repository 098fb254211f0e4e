// Authorization requests that a client signs: request objects (RFC 9101; OpenID Connect Core §6.1). JAR-1 to JAR-11
#pragma once

#include <string>
#include <string_view>

#include "http/params.h"
#include "jose/foreign_claims.h"
#include "json/value.h"
#include "model/ids.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::oauth {

/// The claims that must be there. Whatever is there is checked in either case.
enum class RequiredClaims {
    none,
    bounded,  ///< aud, exp, nbf; at most 60 minutes since nbf and between the two (FAPI 2.0 Message Signing §5.3.1)
};

/// The values that the claims of a request object are compared with.
struct RequestObjectRules {
    model::ClientId client;  ///< that authenticated
    std::string issuer;
    util::Seconds clock_skew;
    util::Time now;
    RequiredClaims required = RequiredClaims::none;
};

/// Checks the claims in the order of JAR-5 to JAR-9. The error names the first one that breaks a rule, for the log: it
/// has `aud`, `iss` and times.
util::Result<void, jose::ClaimFault> check_request_claims(const json::Object& claims, const RequestObjectRules& rules);

/// Returns the parameters inside of a request object: every member but the claims of RFC 7519 §4.1. Each is a string;
/// `max_age` may be a number, `claims` an object, and `resource` an array of strings (JAR-10). The error is for the
/// log.
util::Result<http::Params, std::string> parameters_inside(const json::Object& claims);

/// A request that a client has signed.
struct SignedRequest {
    http::Params parameters;
    std::string digest;  ///< the short one of the object, for the audit log
};

/// Returns what the client asks for in the value of its parameter `request`. invalid_request_object for an object that
/// is not good, in the same words whatever is wrong; temporarily_unavailable as verify_by_client. Needs a client that
/// was authenticated.
Outcome<SignedRequest> open_request_object(Context& context, const model::ClientId& client, std::string_view object);

}  // namespace postern::oauth
