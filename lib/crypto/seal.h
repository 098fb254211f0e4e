// Authenticated encryption of what travels through a browser (AES-256-GCM).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/random.h"
#include "util/secret.h"

namespace postern::crypto {

inline constexpr std::size_t kSealKeyBytes = 32;

/// base64url(nonce || ciphertext || tag). `purpose` is authenticated with it: text sealed for one purpose opens for no
/// other.
std::string seal(const util::Secret& key, std::string_view purpose, std::string_view plain, Random& random);

/// The plain text, or nullopt for anything that was not made by `seal` with this key and purpose.
std::optional<std::string> open_seal(const util::Secret& key, std::string_view purpose, std::string_view sealed);

}  // namespace postern::crypto
