// The two spellings of a P-256 signature: DER for OpenSSL, 64 bytes r||s for JWS (RFC 7518 §3.4).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::crypto {

/// DER of `raw`, or nullopt unless it is exactly 64 bytes with r and s in 1..n-1.
std::optional<std::string> ecdsa_raw_to_der(std::string_view raw);

/// r||s of a signature that OpenSSL made. Throws CryptoError when it is none.
std::string ecdsa_der_to_raw(std::string_view der);

}  // namespace postern::crypto
