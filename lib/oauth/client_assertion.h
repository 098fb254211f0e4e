// Client authentication by a JWT that the client signs: private_key_jwt (RFC 7523 §2.2, §3; OpenID Connect Core §9).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message.h"
#include "jose/foreign_jwt.h"
#include "json/value.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/credentials.h"
#include "oauth/error.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::oauth {

/// Returns true if the form has a parameter of an assertion.
bool names_assertion(const http::Params& form);

/// The values that the claims of an assertion are compared with.
struct AssertionRules {
    model::ClientId client;
    std::string issuer;
    std::vector<std::string> endpoints;  ///< that may stand in `aud` as well; empty: the issuer alone
    util::Seconds max_lifetime;
    util::Seconds clock_skew;
    util::Time now;
    bool takes_list = true;  ///< as `aud`, with one value; false: a string alone
};

/// A claim that breaks a rule. The sentence is for the log: it has `aud`, `iss` and times, and no `jti`.
struct AssertionFault {
    std::string detail;
    refusal::Reason reason;
};

/// An assertion whose claims are good.
struct GoodAssertion {
    std::string jti;
    util::Time until;  ///< it is good no longer, by any clock of ours
};

/// Checks the claims in the order of CA-8 to CA-11.
util::Result<GoodAssertion, AssertionFault> check_assertion(const json::Object& claims, const AssertionRules& rules);

/// A check of the rest of the request, once the client is proved and before its assertion counts as used: what it
/// refuses can be sent again with the same assertion.
using CheckBefore = std::function<Outcome<void>(const model::Client&)>;

/// The client that the form's assertion proves, which nothing bars, and whose assertion was not used before (CA-1 to
/// CA-12). invalid_client for everything else, in the same words whatever is wrong; invalid_request for parameters that
/// are missing, twice, or beside other credentials. The error of `check` where that
/// refuses: then the assertion was not used. Throws StoreError when the use cannot be remembered.
Outcome<model::Client> authenticate_by_assertion(Context& context, const Credentials& credentials,
                                                 const http::Request& request, const CheckBefore& check);

}  // namespace postern::oauth
