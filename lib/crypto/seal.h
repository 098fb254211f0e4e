// Authenticated encryption of text that travels through a browser (AES-256-GCM), and the keys of factor.key.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/random.h"
#include "util/secret.h"

namespace postern::crypto {

inline constexpr std::size_t kSealKeyBytes = 32;

/// Returns base64url(nonce || ciphertext || tag). `purpose` is authenticated with it: text sealed for one purpose opens
/// for no other.
std::string seal(const util::Secret& key, std::string_view purpose, std::string_view plain, Random& random);

/// Returns the plain text, or nullopt for anything that was not made by `seal` with this key and purpose.
std::optional<std::string> open_seal(const util::Secret& key, std::string_view purpose, std::string_view sealed);

/// The keys of factor.key, each of kSealKeyBytes, in the order of the file. The file leaves out `previous` where it is
/// empty, and then `codes` where it equals `sealing`.
struct FactorKeys {
    util::Secret sealing;   ///< seals the secrets of apps
    util::Secret codes;     ///< keys the digests of recovery codes, which cannot be made again without the codes
    util::Secret previous;  ///< the sealing key before a rotation that is under way; empty without one
};

/// Returns whether a factor.key can have so many bytes.
bool is_factor_key_size(std::size_t bytes);

/// Throws CryptoError for another number of bytes.
FactorKeys parse_factor_keys(const util::Secret& bytes);
util::Secret to_bytes(const FactorKeys& keys);

}  // namespace postern::crypto
