// JWTs that others sign, the only ones whose headers are parsed (RFC 7515 §5.2, RFC 8725 §3; KEY-1 to KEY-4, KEY-6).
//
// Headers of our own tokens are compared as bytes (jose/jws.h). docs/decisions/0140
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "crypto/key_parts.h"
#include "jose/client_keys.h"
#include "json/value.h"
#include "util/result.h"

namespace postern::jose {

/// The form of the JWTs of one use. Borrows its lists, which are constants.
struct ForeignForm {
    std::size_t most_bytes;                   ///< of the whole value
    std::span<const std::string_view> types;  ///< of `typ`, in lower case and without "application/"
    bool may_lack_type;                       ///< `typ` may be absent
    std::span<const crypto::Algorithm> algorithms;
    bool has_key = false;  ///< its header has the key that it is verified with, and no `kid` counts (RFC 9449 §4.2)
};

/// A JWT that is taken apart, and of which nothing is verified. `signed_text` is in the text that was parsed.
struct UnverifiedJwt {
    crypto::Algorithm algorithm;
    std::optional<std::string> kid;
    std::optional<ClientKey> key;  ///< of the header, where the form has one: it says nothing of who signs
    json::Object claims;
    std::string_view signed_text;
    std::string signature;

    /// Returns a claim that is a string; nullptr for another one. Good for looking up whose keys to try, and for
    /// nothing else.
    const std::string* unverified_text(std::string_view claim) const;
};

/// Takes a JWT apart. The error names the first fault, for the log and `postern why`: it has `alg`, `typ` and names of
/// members, and no other part of the token.
util::Result<UnverifiedJwt, std::string> parse_foreign_jwt(std::string_view token, const ForeignForm& form);

/// Claims behind a signature that was verified.
class SignedClaims {
public:
    const json::Object& operator*() const { return claims_; }
    const json::Object* operator->() const { return &claims_; }

private:
    friend util::Result<SignedClaims, std::string> verify_foreign_jwt(UnverifiedJwt jwt, const ClientKeys& keys);
    friend util::Result<SignedClaims, std::string> verify_by_own_key(UnverifiedJwt jwt);
    explicit SignedClaims(json::Object claims) : claims_(std::move(claims)) {}
    json::Object claims_;
};

/// Verifies with each key that fits `alg` and `kid`. Where no key fits, or more than kMaxCandidates, no key of the set
/// is tried and one signature is verified in vain, as by verify_in_vain.
util::Result<SignedClaims, std::string> verify_foreign_jwt(UnverifiedJwt jwt, const ClientKeys& keys);

/// Verifies with the key of the header: the sender has its private half, and that is all that is known.
util::Result<SignedClaims, std::string> verify_by_own_key(UnverifiedJwt jwt);

/// Does what a verification costs, with a fixed key whose private half is published: for a caller who is nobody, and
/// must not learn it by the clock (KEY-10).
void verify_in_vain(const UnverifiedJwt& jwt);

}  // namespace postern::jose
