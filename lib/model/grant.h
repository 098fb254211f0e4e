// A grant, and the codes and tokens issued under it (RFC 6749 §1.3, §1.4).
#pragma once

#include <optional>
#include <string>

#include "model/claim_names.h"
#include "model/confirmation.h"
#include "model/ids.h"
#include "model/resource.h"
#include "model/scope.h"
#include "util/clock.h"

namespace postern::model {

/// One per authorization, never shared. Ending a grant ends everything under it.
struct Grant {
    GrantId id;
    ClientId client_id;
    Subject subject;
    Scope scope;
    Scope ignored_scope;     ///< words of the request that it was not given: a client that repeats them is not refused
    RequestedClaims claims;  ///< beyond the scope
    util::Time auth_time{};
    Sid sid;
    util::Time created_at{};
    std::optional<util::Time> ended_at;
    ResourceUris resources;  ///< what its tokens may be for (RFC 8707 §2.2); empty: none was named
    std::string acr = {};  ///< of the user's login (OpenID Connect Core §2); "": not known, or from before it was kept
    std::string amr = {};  ///< its methods, as in Authentication
    /// The keys that its refresh tokens are bound to (RFC 9449 §5, RFC 8705 §4).
    Confirmation bound_to = {};

    bool operator==(const Grant&) const = default;
};

struct AuthorizationCode {
    ValueHash code_hash;
    GrantId grant_id;
    std::string redirect_uri;
    bool redirect_uri_sent = true;
    std::optional<std::string> nonce;
    std::optional<std::string> code_challenge;
    std::optional<util::Seconds> max_age;
    std::optional<std::string> audience;  ///< recorded as specified; the token request's value decides the token
    util::Time expires_at{};
    std::optional<util::Time> redeemed_at;
    std::optional<util::Time> burned_at;  ///< spent without a token: wrong verifier, redirect_uri or key, or revoked
    std::string dpop_jkt = {};            ///< thumbprint of the key that must redeem it (RFC 9449 §10); "": any

    bool operator==(const AuthorizationCode&) const = default;
};

struct AccessToken {
    ValueHash token_hash;
    std::string jti;  ///< "<grant id>.<random>"
    GrantId grant_id;
    Scope scope;
    std::optional<std::string> audience;
    util::Time issued_at{};
    util::Time expires_at{};
    Confirmation cnf = {};  ///< the keys that it is bound to; empty: a bearer token
};

struct RefreshToken {
    ValueHash token_hash;
    GrantId grant_id;
    bool is_opaque = false;                ///< a random value, which does not name its grant
    std::optional<ValueHash> parent_hash;  ///< the token whose use yielded this one
    util::Time issued_at{};
    util::Time expires_at{};               ///< absolute: created_at of the grant + refreshTokenTTL
    std::optional<util::Time> rotated_at;  ///< it has been used, or a sibling was used in its place
    std::optional<util::Time> revoked_at;
    Confirmation cnf = {};  ///< the keys that its grant is bound to with it; empty: the grant stays as it is
};

}  // namespace postern::model
