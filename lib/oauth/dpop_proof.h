// DPoP proofs: JWTs with which a client shows that it has the private half of a key (RFC 9449 §4.3; DPOP-1 to DPOP-9).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jose/foreign_claims.h"
#include "util/clock.h"
#include "util/result.h"

namespace postern::oauth {

/// The values that a proof is compared with.
struct ProofRules {
    std::string method;
    std::vector<std::string> urls;  ///< of the endpoint, from the configuration and never from the request
    util::Seconds max_age;
    util::Seconds clock_skew;
    util::Time now;
    std::optional<std::string> access_token = std::nullopt;  ///< whose digest it must have (§7); nullopt: none
};

/// A proof that is good, and perhaps was used before.
struct GoodProof {
    std::string jkt;  ///< thumbprint of the key (RFC 7638)
    std::string jti;
    util::Time until{};  ///< it is good no longer, by any clock of ours
};

/// Checks the value of the header `DPoP`. The error names the first rule that is broken, for the log: it has the
/// method, the URL and times, and neither `jti` nor key.
util::Result<GoodProof, jose::ClaimFault> check_proof(std::string_view header, const ProofRules& rules);

/// Returns a URL as `htu` is compared (§4.3 item 9; RFC 3986 §6.2.2, §6.2.3): without query and fragment, scheme and
/// host in lower case, no default port, no encoded unreserved characters, no dot segments. nullopt: it is no http URL,
/// or has what no spelling of ours has: a user, an empty port.
std::optional<std::string> normal_target(std::string_view url);

/// Accepts what a thumbprint looks like: 43 characters of base64url.
bool is_thumbprint(std::string_view text);

}  // namespace postern::oauth
