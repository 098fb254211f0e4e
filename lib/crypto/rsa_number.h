// Judges an RSA number in big-endian bytes without making it one of OpenSSL's.
#pragma once

#include <cstddef>
#include <string_view>

namespace postern::crypto {

/// RFC 7518 §2, RFC 8230 §4: no leading zero, so that one key has one spelling. False for "".
constexpr bool is_shortest(std::string_view number) { return !number.empty() && number.front() != '\0'; }

/// Returns whether a number that is_shortest() is odd.
constexpr bool is_odd(std::string_view number) { return (static_cast<unsigned char>(number.back()) & 1) != 0; }

/// Returns the bits of a number that is_shortest().
constexpr std::size_t bits_of(std::string_view number) {
    std::size_t bits = (number.size() - 1) * 8;
    for (auto first = static_cast<unsigned char>(number.front()); first != 0; first >>= 1) ++bits;
    return bits;
}

}  // namespace postern::crypto
