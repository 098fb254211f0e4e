// Recovery codes: what is made, and what of it is stored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/random.h"
#include "model/ids.h"
#include "util/secret.h"

namespace postern::factor {

inline constexpr std::size_t kRecoveryCodes = 10;
inline constexpr std::size_t kRecoveryDigits = 16;  ///< 53 bits

/// Makes ten codes of sixteen digits each; every number has the same chance.
std::vector<std::string> make_recovery_codes(crypto::Random& random);

/// Names the key of recovery codes in factor.key, of which `factor_key` has the bytes: 16 hexadecimal digits and a dot,
/// with which each hash under that key begins. Codes under another key are dead, and the database can tell them.
inline constexpr std::size_t kCodeKeyNameSize = 17;
std::string code_key_name(const util::Secret& factor_key);

/// Makes the hash of a code that is stored. Sixteen digits can be found from a plain digest, so this is HMAC-SHA-256
/// under a key that is derived from factor.key, after the name of that key. The code of another user has another hash.
std::string recovery_code_hash(const util::Secret& factor_key, const model::Subject& subject, std::string_view digits);

}  // namespace postern::factor
