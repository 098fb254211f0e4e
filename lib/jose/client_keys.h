// The keys with which a client signs: a JWK set that somebody else wrote (RFC 7517 §5; KEY-4, KEY-5).
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/key_parts.h"
#include "json/value.h"
#include "util/result.h"

namespace postern::jose {

struct ClientKey {
    std::optional<std::string> kid;              ///< several keys may have the same one
    std::optional<crypto::Algorithm> algorithm;  ///< the only one that it is for; nullopt: any that fits its type
    crypto::PublicMembers members;
};
using ClientKeys = std::vector<ClientKey>;

inline constexpr std::size_t kMaxClientKeySetBytes = 65536;
inline constexpr std::size_t kMaxClientKeys = 20;  ///< those included that are for something else
/// The limit of write_client_keys: a row of table `fetched` has no more.
inline constexpr std::size_t kMaxUsableKeysBytes = 16384;
/// The signatures that are checked for one JWT (KEY-4).
inline constexpr std::size_t kMaxCandidates = 4;

/// Reads the keys that can verify. Left out are keys of another type, curve, use, operation or algorithm. The error is
/// for whoever registers the set: it is too large, has a member twice, a private or symmetric key, a key that could be
/// chosen and is not fit, a certificate of another key, or no key that can be used.
util::Result<ClientKeys, std::string> parse_client_keys(std::string_view text);

/// Reads the key in the header of a JWT (RFC 7515 §4.1.3): one that can verify, without its `kid` and whatever its
/// `x5c` says. The error names the first fault.
util::Result<ClientKey, std::string> parse_header_key(const json::Object& key);

/// Returns {"keys":[...]} with what parse_client_keys has read, and nothing else.
std::string write_client_keys(const ClientKeys& keys);

/// Reads an `alg` of a header or key: RS256, ES256, PS256, EdDSA, and Ed25519, which is the same (RFC 9864 §2.2).
std::optional<crypto::Algorithm> parse_foreign_algorithm(std::string_view name);

/// Returns the keys that may have made a signature by `algorithm` (KEY-4); with `kid`, those that have it.
std::vector<const ClientKey*> candidates(const ClientKeys& keys, crypto::Algorithm algorithm,
                                         const std::optional<std::string>& kid);

/// Returns whether more keys than are tried could have made a signature of a JWT without `kid`.
bool needs_kids(const ClientKeys& keys);

}  // namespace postern::jose
