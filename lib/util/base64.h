// Base64 in its two alphabets, strict both ways (RFC 4648 §4, §5): one text for one value.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace postern::util {

/// Writes base64url without padding (RFC 7515 §2).
std::string base64url_encode(std::string_view bytes);

/// Returns the length of base64url_encode of so many bytes.
constexpr std::size_t base64url_size(std::size_t bytes) { return (bytes * 4 + 2) / 3; }

/// Reads base64url; refuses padding, white space, the other alphabet, an impossible length and non-zero trailing bits.
std::optional<std::string> base64url_decode(std::string_view text);

/// Returns whether a text has only characters of base64url; true for "".
bool is_base64url(std::string_view text);

/// Writes the standard alphabet with padding (HTTP Basic, RFC 7617 §2; CSP hashes).
std::string base64_encode(std::string_view bytes);

/// Reads base64; refuses missing or surplus padding, white space, the other alphabet and non-zero trailing bits.
std::optional<std::string> base64_decode(std::string_view text);

}  // namespace postern::util
