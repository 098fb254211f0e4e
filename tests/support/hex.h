// Hexadecimal digits, as specifications print bytes.
#pragma once

#include <string>
#include <string_view>

namespace postern::test {

/// The bytes of an even number of lower-case digits.
inline std::string bytes_of_hex(std::string_view digits) {
    const auto value = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
    std::string bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
        bytes += static_cast<char>(value(digits[i]) * 16 + value(digits[i + 1]));
    return bytes;
}

}  // namespace postern::test
