// JWS compact serialization with one rule of ours: a header is matched as bytes, never parsed (RFC 7515 §7.1, §5.2).
//
// We are the only issuer, so every header that can be right is known beforehand: each published key with each token
// type. `alg`, `kid`, `crit`, `jku`, `jwk` or duplicate members of a forged header have no code to reach.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/key.h"
#include "jose/jwk.h"
#include "json/value.h"
#include "util/result.h"

namespace postern::jose {

/// The claims of a verified token; shared with the cache, and so never changed.
using Claims = std::shared_ptr<const json::Object>;

/// A fixed number of slots, each for the SHA-256 of a whole token, signature included; a later token replaces an
/// earlier one in its slot. An entry says that the holder of the key has signed these bytes, and what they are; expiry,
/// revocation and the values of claims are checked on every use. It is valid for one set of keys, so a Verifier owns
/// one. Only valid tokens enter it; at worst they displace others, which are then verified again.
class VerifiedTokenCache {
public:
    /// Returns the claims of the token with that SHA-256, 32 bytes; nullptr when it is not there. Valid until the next
    /// `add`.
    const Claims* find(const std::string& digest) const;
    const Claims& add(const std::string& digest, Claims claims);

private:
    struct Entry {
        std::string digest;  ///< empty in an unused slot
        Claims claims;
    };
    static constexpr std::size_t kSlots = 2048;  // 96 KiB for each process, and about 1 KiB for each token in use
    std::vector<Entry> slots_;                   ///< not allocated before the first entry
};

/// The kind of a token, by its `typ` header, or by having none: nothing else tells kinds apart.
enum class TokenType {
    access_token,            ///< "at+jwt" (RFC 9068 §2.1)
    refresh_token,           ///< "rt+jwt"
    id_token,                ///< "JWT"
    authorization_response,  ///< no `typ`: a signed answer (JARM), for applications alone (docs/decisions/0144)
    logout_token,            ///< "logout+jwt" (OpenID Connect Back-Channel Logout 1.0 §2.4): for applications alone
};
/// Returns the `typ` of tokens of that kind, empty where they have none.
std::string_view typ_of(TokenType type);

/// Returns base64url of {"alg":"..","typ":"..","kid":".."}, without `typ` where there is none: this member order is
/// frozen, issued tokens depend on it.
std::string encode_header(crypto::Algorithm algorithm, TokenType type, std::string_view kid);

/// Returns header.payload.signature
std::string sign_compact(const crypto::PrivateKey& key, std::string_view kid, TokenType type, std::string_view payload);

enum class JwtFault {
    malformed,       ///< not three base64url segments, or over kMaxTokenBytes
    unknown_header,  ///< not a header this server emits with a key it still publishes
    wrong_type,      ///< one of our headers, for another kind of token
    bad_signature,
    bad_claims,  ///< this and the rest are found by verify_jwt (jose/jwt.h)
    wrong_issuer,
    expired,
};

struct VerifiedJws {
    std::string_view kid;  ///< in the Verifier
    Claims claims;         ///< the payload; nullptr when it is not a JSON object
    std::string digest;    ///< SHA-256 of the whole token, 32 bytes: it had to be made, and records are found by it
};

/// The limit of a token, above any token of this server: an ID token can repeat a nonce of some thousand quotation
/// marks.
inline constexpr std::size_t kMaxTokenBytes = 16384;

class Verifier {
public:
    /// Keeps its own copy of `keys`; may itself be copied and moved.
    explicit Verifier(const JwkSet& keys);

    /// Returns the type in the header of `token`; nullopt for a header that this server does not emit. Nothing is
    /// verified.
    std::optional<TokenType> type_of(std::string_view token) const;

    /// Accepts only a token of the wanted type. The payload is read after the signature has been verified; a token that
    /// this Verifier has verified or noted before is found in its cache instead.
    util::Result<VerifiedJws, JwtFault> verify(std::string_view token, TokenType wanted);

    /// Enters a token into the cache that this process has just signed with the private half of one of these keys, and
    /// the claims that it was made of. Returns its SHA-256, 32 bytes.
    std::string note_signed(std::string_view token, json::Object claims);

private:
    struct Known {
        TokenType type;
        std::size_t key;  ///< an index, so that copies of a Verifier look into their own keys
    };
    JwkSet keys_;
    std::map<std::string, Known, std::less<>> headers_;
    VerifiedTokenCache verified_;
};

}  // namespace postern::jose
