// The keys of a client where they are: registered, or at its jwks_uri (RFC 7591 §2; KEY-9, FETCH-9, FETCH-10).
#pragma once

#include <optional>
#include <string>

#include "jose/foreign_jwt.h"
#include "model/client.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "refusal/reason.h"

namespace postern::oauth {

/// The use of a JWT that a client signs, and the words for one whose signature is not good.
struct SignedUse {
    const char* name;  ///< of its parameter
    refusal::Reason reason;
    const char* description;  ///< the client hears nothing else
};

/// Returns the claims of a JWT that a key of the client has signed, by `alg` where that is not "", and
/// by an algorithm of its profile. Keys of a jwks_uri
/// are fetched where the endpoint fetches, and once more, at most every 30 s, when none of them has signed it; where it
/// does not fetch they are as old as they are. The error has the words of `use`, or is temporarily_unavailable while
/// too much is fetched; it costs the work of a verification.
Outcome<jose::SignedClaims> verify_by_client(Context& context, const model::Client& client,
                                             const model::ClientKeys& registered, const std::string& alg,
                                             jose::UnverifiedJwt jwt, const SignedUse& use);

/// Returns what is wrong with the set at a URL, which is fetched now unless it is fresh; nullopt: it can be used.
std::optional<std::string> jwks_uri_problem(const fetch::Source& source, const std::string& url,
                                            const fetch::Cause& cause);

}  // namespace postern::oauth
