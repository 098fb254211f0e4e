// Which text stands for which bytes in base64: exactly one, in either alphabet (RFC 4648 §3.5).
#include "util/base64.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace postern::util {
namespace {

constexpr char kUrlAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
constexpr char kStandardAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

using Digits = std::array<std::int8_t, 256>;

/// Character to six bits; -1 for a character outside of the alphabet.
constexpr Digits digits_of(std::string_view alphabet) {
    Digits digits{};
    for (std::int8_t& digit : digits) digit = -1;
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
        digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::int8_t>(i);
    }
    return digits;
}

constexpr Digits kUrlDigits = digits_of(kUrlAlphabet);
constexpr Digits kStandardDigits = digits_of(kStandardAlphabet);

/// Without padding.
std::string encode(std::string_view bytes, const char* alphabet) {
    std::string out((bytes.size() * 8 + 5) / 6, '\0');
    char* next = out.data();
    const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(bytes[i]); };
    for (; bytes.size() >= 3; bytes.remove_prefix(3)) {  // three bytes are four characters
        const std::uint32_t bits = byte(0) << 16U | byte(1) << 8U | byte(2);
        *next++ = alphabet[bits >> 18U];
        *next++ = alphabet[bits >> 12U & 0x3FU];
        *next++ = alphabet[bits >> 6U & 0x3FU];
        *next++ = alphabet[bits & 0x3FU];
    }
    if (bytes.empty()) return out;
    // One or two bytes are left: missing ones count as zeros, which are not written.
    const std::uint32_t bits = byte(0) << 16U | (bytes.size() == 2 ? byte(1) << 8U : 0);
    *next++ = alphabet[bits >> 18U];
    *next++ = alphabet[bits >> 12U & 0x3FU];
    if (bytes.size() == 2) *next = alphabet[bits >> 6U & 0x3FU];
    return out;
}

/// Without padding; refuses whatever `encode` cannot have written.
std::optional<std::string> decode(std::string_view text, const Digits& digits) {
    if (text.size() % 4 == 1) return std::nullopt;  // six bits are not a byte
    std::string out(text.size() * 6 / 8, '\0');
    char* next = out.data();
    std::uint32_t bits = 0;
    unsigned held = 0;
    for (const char c : text) {
        const std::int8_t digit = digits[static_cast<unsigned char>(c)];
        if (digit < 0) return std::nullopt;
        bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
        held += 6;
        if (held < 8) continue;
        held -= 8;
        *next++ = static_cast<char>((bits >> held) & 0xFFU);
    }
    // Bits beyond the last byte must be zero, or one value would have several spellings.
    if ((bits & ((1U << held) - 1U)) != 0) return std::nullopt;
    return out;
}

}  // namespace

std::string base64url_encode(std::string_view bytes) { return encode(bytes, kUrlAlphabet); }

std::optional<std::string> base64url_decode(std::string_view text) { return decode(text, kUrlDigits); }

bool is_base64url(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return kUrlDigits[static_cast<unsigned char>(c)] >= 0; });
}

std::string base64_encode(std::string_view bytes) {
    std::string out = encode(bytes, kStandardAlphabet);
    out.append((4 - out.size() % 4) % 4, '=');
    return out;
}

std::optional<std::string> base64_decode(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    // At most two: a third `=` is a character outside of the alphabet.
    for (int i = 0; i < 2 && text.ends_with('='); ++i) text.remove_suffix(1);
    return decode(text, kStandardDigits);
}

}  // namespace postern::util
