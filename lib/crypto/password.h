// Password hashes in the crypt(5) format, by libxcrypt: yescrypt for new ones; bcrypt and SHA-512 verified too.
#pragma once

#include <string>
#include <string_view>

#include "util/secret.h"

namespace postern::crypto {

inline constexpr std::size_t kMaxPasswordBytes = 511;  ///< crypt(3) takes no more; longer ones are refused, never cut

enum class PasswordFault { none, empty, too_long, has_nul };
/// Returns why a password cannot be hashed; `none` when it can.
PasswordFault check_password(std::string_view password);

/// `$y$j9T$...`. About 18 ms and 16 MiB: call it outside any lock. Throws CryptoError when crypt fails.
std::string hash_password(const util::Secret& password);

/// Supported are `$y$`, `$2b$`, `$2y$` (which looks at the first 72 bytes only) and `$6$`.
/// False for a wrong password, an unacceptable one, and a malformed or unsupported hash.
bool verify_password(const util::Secret& password, const std::string& hash);

/// Does the work of a verification and says nothing: for unknown and disabled users, so that they cost the same time.
/// The work is that of the hash `like`, or of one of ours when it is empty.
void verify_nothing(const util::Secret& password, const std::string& like = "");

}  // namespace postern::crypto
