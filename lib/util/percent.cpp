// How bytes travel in forms and URLs, there and back.
#include "util/percent.h"

#include <algorithm>

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

}  // namespace

bool is_unreserved(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '.' || c == '_' || c == '~'; }

std::optional<std::string> form_decode(std::string_view text) {
    // Tokens, which most forms here consist of, have nothing to be decoded.
    if (text.find('%') == text.npos && text.find('+') == text.npos) return std::string(text);
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        if (text.front() != '%') {
            out += text.front() == '+' ? ' ' : text.front();
            text.remove_prefix(1);
            continue;
        }
        if (text.size() < 3) return std::nullopt;
        const int high = hex_value(text[1]);
        const int low = hex_value(text[2]);
        if (high < 0 || low < 0) return std::nullopt;
        out += static_cast<char>(high * 16 + low);
        text.remove_prefix(3);
    }
    return out;
}

std::string percent_encode(std::string_view bytes) {
    if (std::ranges::all_of(bytes, is_unreserved)) return std::string(bytes);  // sealed requests, codes and tokens
    constexpr std::string_view kDigits = "0123456789ABCDEF";                   // upper case: RFC 3986 §2.1
    std::string out;
    out.reserve(bytes.size());
    for (const char c : bytes) {
        if (is_unreserved(c)) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 0xFU];
    }
    return out;
}

}  // namespace postern::util
