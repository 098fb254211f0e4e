// How bytes travel in forms and URLs, there and back.
#include "util/percent.h"

#include <algorithm>
#include <array>

#include "util/text.h"

namespace postern::util {
namespace {

/// The value of a hex digit, or -1.
int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

/// Returns the part of `text` before the first character that is not `plain`.
template <class Plain>
std::string_view front_of(std::string_view text, Plain plain) {
    const auto end = std::find_if_not(text.begin(), text.end(), plain);
    return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

constexpr std::array<bool, 256> unreserved_bytes() {
    std::array<bool, 256> unreserved{};
    for (unsigned char c = 0; c < 128; ++c)
        unreserved[c] = is_letter(static_cast<char>(c)) || is_digit(static_cast<char>(c));
    for (const char c : {'-', '.', '_', '~'}) unreserved[static_cast<unsigned char>(c)] = true;
    return unreserved;
}
constexpr std::array<bool, 256> kUnreserved = unreserved_bytes();

/// Decodes `%XX`, and `+` as a space unless `is_plain` accepts it.
template <class Plain>
std::optional<std::string> decode(std::string_view text, Plain is_plain) {
    std::string out;
    out.reserve(text.size());
    for (;;) {
        const std::string_view plain = front_of(text, is_plain);
        out += plain;
        text.remove_prefix(plain.size());
        if (text.empty()) return out;
        if (text.front() == '+') {
            out += ' ';
            text.remove_prefix(1);
            continue;
        }
        const auto byte = percent_byte(text, 0);
        if (!byte) return std::nullopt;
        out += *byte;
        text.remove_prefix(3);
    }
}

}  // namespace

std::optional<char> percent_byte(std::string_view text, std::size_t at) {
    if (text.size() - at < 3) return std::nullopt;
    const int high = hex_value(text[at + 1]);
    const int low = hex_value(text[at + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    return static_cast<char>(high * 16 + low);
}

bool is_unreserved(char c) { return kUnreserved[static_cast<unsigned char>(c)]; }

std::optional<std::string> form_decode(std::string_view text) {
    // Tokens, which most forms here consist of, have nothing to be decoded.
    if (text.find('%') == text.npos && text.find('+') == text.npos) return std::string(text);
    return decode(text, [](char c) { return c != '%' && c != '+'; });
}

std::optional<std::string> percent_decode(std::string_view text) {
    return decode(text, [](char c) { return c != '%'; });
}

std::string percent_encode(std::string_view bytes) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";  // upper case: RFC 3986 §2.1
    std::string out;
    out.reserve(bytes.size());
    for (;;) {
        const std::string_view plain = front_of(bytes, is_unreserved);
        out += plain;
        bytes.remove_prefix(plain.size());
        if (bytes.empty()) return out;
        const auto byte = static_cast<unsigned char>(bytes.front());
        out += '%';
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 0xFU];
        bytes.remove_prefix(1);
    }
}

}  // namespace postern::util
