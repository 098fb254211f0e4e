// SHA-2, SHA-1 where others have chosen it, HMAC and comparison in constant time.
#pragma once

#include <string>
#include <string_view>

namespace postern::crypto {

std::string sha256(std::string_view bytes);      ///< 32 raw bytes
std::string sha512(std::string_view bytes);      ///< 64 raw bytes: `at_hash` of EdDSA ID tokens
std::string hex(std::string_view bytes);         ///< lower-case digits
std::string sha256_hex(std::string_view bytes);  ///< 64 lower-case hex digits
std::string hmac_sha256(std::string_view key, std::string_view message);  ///< 32 raw bytes
/// Returns 20 raw bytes: for lists of known passwords alone, which are published as such digests.
std::string sha1(std::string_view bytes);
/// Returns 20 raw bytes: for RFC 6238 alone, whose apps know no other digest.
std::string hmac_sha1(std::string_view key, std::string_view message);

/// Returns false for different lengths; otherwise takes the same time wherever the difference is.
bool equal_constant_time(std::string_view a, std::string_view b);

}  // namespace postern::crypto
