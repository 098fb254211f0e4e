// The bytes of factor.key: one key at first, and up to three when it has been rotated (docs/decisions/0074).
#pragma once

#include <cstddef>

#include "util/secret.h"

namespace postern::crypto {

/// Each of kSealKeyBytes. In the file they follow one another in this order, and those at the end are left out: `codes`
/// where it is the same as `sealing`, `previous` where it is empty.
struct FactorKeys {
    util::Secret sealing;   ///< seals the secrets of apps
    util::Secret codes;     ///< keys the digests of recovery codes, which cannot be made again without the codes
    util::Secret previous;  ///< opens what was sealed before; empty unless a rotation is under way
};

/// Whether a factor.key can have so many bytes.
bool is_factor_key_size(std::size_t bytes);

/// Throws CryptoError for another number of bytes.
FactorKeys parse_factor_keys(const util::Secret& bytes);
util::Secret to_bytes(const FactorKeys& keys);

}  // namespace postern::crypto
