// The codes that people type: which kind one is, and the recovery codes that are made and what of them is stored.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "crypto/random.h"
#include "model/ids.h"
#include "util/secret.h"

namespace postern::factor {

enum class CodeKind {
    none,      ///< neither of the two
    app,       ///< six digits
    recovery,  ///< sixteen digits
};

struct TypedCode {
    CodeKind kind = CodeKind::none;
    std::string digits = {};  ///< of app and recovery: 0-9 and nothing else
};

/// Reads a typed code. Blanks, hyphens and invisible characters are ignored wherever they are, those of word processors
/// and phones too. A digit of another script is the digit of its value: a keyboard for Arabic or Japanese has no others
/// at hand.
TypedCode parse_code(std::string_view typed);

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
