// JSON Web Keys: public ones only (RFC 7517 §4, RFC 7518 §6, RFC 8037 §2), named by their thumbprint (RFC 7638).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/key.h"
#include "json/value.h"
#include "util/result.h"

namespace postern::jose {

struct Jwk {
    std::string kid;
    crypto::PublicKey key;
};

/// Returns a member that only a private or a symmetric key has; nullopt: there is none.
std::optional<std::string_view> private_member(const json::Object& key);

/// Returns the required members of the key (RFC 7638 §3.2), `kty` among them, in lexical order.
json::Object to_json(const crypto::PublicMembers& members);

/// Returns base64url(SHA-256) of the required members in lexical order (RFC 7638 §3).
std::string thumbprint(const crypto::PublicKey& key);
std::string thumbprint(const crypto::PublicMembers& members);

/// Returns {"kty":..,"use":"sig","alg":..,"kid":..,<public members>}
json::Object to_json(const Jwk& jwk);

/// One key of a set. The error is for the operator: which member is missing or wrong. Private members are an error.
util::Result<Jwk, std::string> parse_jwk(const json::Value& value);

using JwkSet = std::vector<Jwk>;

/// Returns {"keys":[...]}
json::Object to_json(const JwkSet& set);

/// Refuses an entry that does not parse and two entries with one kid.
util::Result<JwkSet, std::string> parse_jwk_set(std::string_view text);

}  // namespace postern::jose
