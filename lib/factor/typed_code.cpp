// Reads a typed code: ignores separators, and reads the digits of other scripts.
#include "factor/typed_code.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "factor/recovery_code.h"
#include "factor/totp.h"
#include "util/utf8.h"
#include "util/visible.h"

namespace postern::factor {
namespace {

constexpr std::size_t kLongest = 256;  // bytes; a code with blanks in it is shorter

/// Line ends, hyphens and the like, which people or their software put between groups, next to blanks and what cannot
/// be seen.
constexpr char32_t kIgnored[] = {U'\t',  U'\n',  U'\r',  U'-',   0x058A, 0x2010, 0x2011, 0x2012,
                                 0x2013, 0x2014, 0x2015, 0x2212, 0x30FC, 0xFE58, 0xFE63, 0xFF0D};

/// The zeros of scripts whose digits are on keyboards (Unicode's general category Nd): nine more follow each.
constexpr char32_t kZeros[] = {
    U'0',
    0x0660,  // Arabic-Indic
    0x06F0,  // Persian, Urdu
    0x07C0,  // N'Ko
    0x0966,  // Devanagari
    0x09E6,  // Bengali
    0x0A66,  // Gurmukhi
    0x0AE6,  // Gujarati
    0x0B66,  // Oriya
    0x0BE6,  // Tamil
    0x0C66,  // Telugu
    0x0CE6,  // Kannada
    0x0D66,  // Malayalam
    0x0DE6,  // Sinhala
    0x0E50,  // Thai
    0x0ED0,  // Lao
    0x0F20,  // Tibetan
    0x1040,  // Myanmar
    0x17E0,  // Khmer
    0x1810,  // Mongolian
    0x1C50,  // Ol Chiki
    0xA9D0,  // Javanese
    0xABF0,  // Meetei Mayek
    0xFF10,  // full width
};

/// Returns the digit 0-9 that a character stands for; nullopt: it is no digit.
std::optional<char> digit_of(char32_t code_point) {
    for (const char32_t zero : kZeros)
        if (code_point >= zero && code_point <= zero + 9) return static_cast<char>('0' + (code_point - zero));
    return std::nullopt;
}

bool is_ignored(char32_t code_point) {
    return util::is_blank(code_point) || util::is_ignorable(code_point) ||
           std::ranges::find(kIgnored, code_point) != std::end(kIgnored);
}

CodeKind kind_of(std::size_t digits) {
    if (digits == kTotpDigits) return CodeKind::app;
    return digits == kRecoveryDigits ? CodeKind::recovery : CodeKind::none;
}

}  // namespace

TypedCode parse_code(std::string_view typed) {
    if (typed.size() > kLongest) return {};
    std::string digits;
    while (!typed.empty()) {
        const util::Utf8Step step = util::next_utf8(typed);
        typed.remove_prefix(step.length);
        if (!step.code_point) return {};
        if (is_ignored(*step.code_point)) continue;
        const auto digit = digit_of(*step.code_point);
        if (!digit) return {};
        digits += *digit;
    }
    const CodeKind kind = kind_of(digits.size());
    return kind == CodeKind::none ? TypedCode{} : TypedCode{.kind = kind, .digits = std::move(digits)};
}

}  // namespace postern::factor
