// Which characters of a JSON string are escaped, and how.
#include "util/json_string.h"

#include <array>
#include <utility>

#include "util/utf8.h"
#include "util/visible.h"

namespace postern::util {
namespace {

constexpr std::array<bool, 256> plain_bytes() {
    std::array<bool, 256> plain{};
    for (unsigned char c = ' '; c <= '~'; ++c) plain[c] = true;
    for (const char c : {'"', '\\', '<', '>', '&'}) plain[static_cast<unsigned char>(c)] = false;
    return plain;
}
constexpr std::array<bool, 256> kPlain = plain_bytes();

/// How many bytes at the beginning stand for themselves, as most of what is written does.
std::size_t plain_length(std::string_view text) {
    std::size_t length = 0;
    while (length < text.size() && kPlain[static_cast<unsigned char>(text[length])]) ++length;
    return length;
}

/// The two-character escapes of RFC 8259 §7 that we use; "" for none.
std::string_view short_escape(char32_t code_point) {
    constexpr std::pair<char32_t, std::string_view> kShort[] = {{U'"', "\\\""}, {U'\\', "\\\\"}, {U'\b', "\\b"},
                                                                {U'\f', "\\f"}, {U'\n', "\\n"},  {U'\r', "\\r"},
                                                                {U'\t', "\\t"}};
    for (const auto& [character, escape] : kShort)
        if (character == code_point) return escape;
    return "";
}

bool needs_escape(char32_t code_point) {
    return code_point == U'<' || code_point == U'>' || code_point == U'&' || code_point == 0x2028 ||
           code_point == 0x2029 || is_control(code_point) || is_bidi_control(code_point);
}

/// RFC 8259 §7: a character above U+FFFF is two surrogates.
void append_hex_escape(std::string& out, char32_t code_point) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    if (code_point > 0xFFFF) {
        append_hex_escape(out, 0xD800 + ((code_point - 0x10000) >> 10U));
        code_point = 0xDC00 + ((code_point - 0x10000) & 0x3FFU);
    }
    out += "\\u";
    for (unsigned shift : {12U, 8U, 4U, 0U}) out += kDigits[(code_point >> shift) & 0xFU];
}

}  // namespace

void append_json_string(std::string& out, std::string_view text) {
    out += '"';
    MarkStack marks;
    for (;;) {
        const std::size_t plain = plain_length(text);
        if (plain > 0) marks = {};
        out += text.substr(0, plain);
        text.remove_prefix(plain);
        if (text.empty()) break;
        const Utf8Step step = next_utf8(text);
        if (!step.code_point) {
            out += kReplacement;
        } else if (const std::string_view escape = short_escape(*step.code_point); !escape.empty()) {
            out += escape;
        } else if (marks.is_too_high(*step.code_point) || needs_escape(*step.code_point)) {
            append_hex_escape(out, *step.code_point);
        } else {
            out += text.substr(0, step.length);
        }
        text.remove_prefix(step.length);
    }
    out += '"';
}

}  // namespace postern::util
