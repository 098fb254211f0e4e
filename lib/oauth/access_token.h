// Access tokens with the claims of the interface specification, or with those of RFC 9068 §2.2 as well.
#pragma once

#include <optional>
#include <string>

#include "jose/jwt.h"
#include "model/grant.h"
#include "model/user.h"
#include "oauth/context.h"
#include "oauth/target.h"
#include "store/access_tokens.h"

namespace postern::oauth {

struct AccessTokenIssue {
    std::string value;          ///< the signed token, shown once
    std::string digest;         ///< its SHA-256, 32 bytes
    model::AccessToken record;  ///< what storage keeps: a digest, never the value
};

/// The limit of a token's claims together with what may be left out of it, as JSON: the token, a third longer and
/// signed, has to fit into a header line, which web servers limit to 8 KiB, and as a hint into a URL.
inline constexpr std::size_t kMaxClaimBytes = 4096;

/// The content of an access token.
struct AccessTokenAbout {
    const model::Grant& grant;
    const model::Scope& scope;
    Target target = {};
    std::string username = {};  ///< put in when the settings say so; never in profile rfc9068
    model::TokenProfile profile = model::TokenProfile::interface;
    bool with_groups = false;      ///< of the user, with the scope of that name; profile rfc9068 only
    model::Confirmation cnf = {};  ///< the keys that it is bound to; empty: a bearer token
};

/// Returns `about` with the profile and groups of the registration of `client`.
AccessTokenAbout as_wanted(const Settings& settings, const model::Client& client, AccessTokenAbout about);

/// The claims of a token, and the record that storage keeps once it is signed.
struct AccessTokenDraft {
    json::Object claims;
    model::AccessToken record;  ///< without token_hash
};
AccessTokenDraft draft_access_token(Context& context, const AccessTokenAbout& about);

/// Signs a token outside any lock; the caller stores the record.
AccessTokenIssue make_access_token(Context& context, const AccessTokenAbout& about);

/// An access token that this server has signed.
struct VerifiedAccessToken {
    jose::Claims claims;        ///< verified
    store::AccessTokenKey key;  ///< of its row, which may have gone
};

/// Checks the signature before any claim; storage is not asked. Any Keys opened for verify or sign will do.
util::Result<VerifiedAccessToken, jose::JwtFault> verify_access_token(Context& context, std::string_view value,
                                                                      jose::Expiry expiry);

/// Returns the SHA-256 of a token, code or cookie, as it is stored.
model::ValueHash hash_of(std::string_view value);

/// Returns the id of a grant that is made at `now`: the time, as eight hexadecimal digits, and 128 random bits. Ids
/// sort by creation time, so that rows that are written together are neighbours in the database's b-trees. Not a
/// secret.
model::GrantId make_grant_id(crypto::Random& random, util::Time now);

/// Returns a new `jti`, "<grant id>.<random>" (RFC 7519 §4.1.7).
std::string make_jti(crypto::Random& random, const model::GrantId& grant);

/// Returns the grant that verified claims name; an empty id where `jti` is missing. A row of a token is found by it,
/// and a token whose row has been deleted still names what it belongs to.
model::GrantId grant_of(const json::Object& claims);

}  // namespace postern::oauth
