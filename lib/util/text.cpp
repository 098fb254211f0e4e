// Which text is clean: characters, digits, pieces.
#include "util/text.h"

#include <algorithm>

#include "util/utf8.h"
#include "util/visible.h"

namespace postern::util {
namespace {

constexpr char32_t kReplacementCharacter = 0xFFFD;

/// The line and the paragraph separator: the latter ends the isolation of a direction.
bool is_separator(char32_t code_point) { return code_point == 0x2028 || code_point == 0x2029; }

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

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

}  // namespace postern::util
