// Which text is clean: characters, digits, pieces.
#include "util/text.h"

#include <algorithm>
#include <array>
#include <utility>

#include "util/utf8.h"
#include "util/visible.h"

namespace postern::util {
namespace {

constexpr char32_t kReplacementCharacter = 0xFFFD;

/// The line and the paragraph separator: the latter ends the isolation of a direction.
bool is_separator(char32_t code_point) { return code_point == 0x2028 || code_point == 0x2029; }

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

constexpr std::array<bool, 256> plain_bytes() {
    std::array<bool, 256> plain{};
    for (unsigned char c = ' '; c <= '~'; ++c) plain[c] = true;
    for (const char c : {'"', '\\', '<', '>', '&'}) plain[static_cast<unsigned char>(c)] = false;
    return plain;
}
constexpr std::array<bool, 256> kPlain = plain_bytes();

/// Returns the number of bytes at the beginning that stand for themselves, as most text does.
std::size_t plain_length(std::string_view text) {
    const auto is_plain = [](char c) { return kPlain[static_cast<unsigned char>(c)]; };
    return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
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

bool is_utf8(std::string_view bytes) { return valid_utf8_prefix(bytes) == bytes.size(); }

bool has_control_bytes(std::string_view text) {
    return std::any_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F;
    });
}

bool is_vschar(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c <= 0x7E; });
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    pieces.reserve(1 + static_cast<std::size_t>(std::ranges::count(text, separator)));
    for (;;) {
        const std::size_t end = text.find(separator);
        pieces.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return pieces;
        text.remove_prefix(end + 1);
    }
}

std::optional<std::int64_t> parse_digits(std::string_view text, std::int64_t max) {
    if (text.empty()) return std::nullopt;
    std::int64_t value = 0;
    for (const char c : text) {
        if (!is_digit(c)) return std::nullopt;
        // Judged before it is computed: the product and the sum stay within `max`.
        if (value > max / 10) return std::nullopt;
        value *= 10;
        if (c - '0' > max - value) return std::nullopt;
        value += c - '0';
    }
    return value;
}

std::optional<int> parse_port(std::string_view text) {
    constexpr std::int64_t kHighest = 65535;
    const auto number = parse_digits(text, kHighest);
    if (!number || text.front() == '0') return std::nullopt;
    return static_cast<int>(*number);
}

std::string to_lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

std::string to_upper(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), upper);
    return out;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string displayable(std::string_view utf8) {
    std::string out;
    out.reserve(utf8.size());
    MarkStack marks;
    while (!utf8.empty()) {
        const Utf8Step step = next_utf8(utf8);
        const char32_t code_point = step.code_point.value_or(kReplacementCharacter);
        const bool is_shown = !is_control(code_point) && !is_bidi_control(code_point) && !is_separator(code_point);
        if (is_shown && !marks.is_too_high(code_point))
            out += step.code_point ? utf8.substr(0, step.length) : kReplacement;
        utf8.remove_prefix(step.length);
    }
    return out;
}

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
