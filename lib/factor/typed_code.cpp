// Reads a typed code: ignores separators, and reads the digits of other scripts. Decides which numbers recovery codes
// are, and under which key they are hashed.
#include "factor/typed_code.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>

#include "crypto/digest.h"
#include "crypto/seal.h"
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

constexpr std::string_view kPurpose = "postern recovery code v1";
constexpr std::string_view kNamePurpose = "postern name of the key of recovery codes v1";

constexpr std::uint64_t kCodes = 10'000'000'000'000'000;
/// From here on a number would make small codes more likely than others.
constexpr std::uint64_t kEnd = std::numeric_limits<std::uint64_t>::max() / kCodes * kCodes;

std::uint64_t random_number(crypto::Random& random) {
    std::uint64_t number = 0;
    for (const char c : random.bytes(sizeof number)) number = number << 8U | static_cast<unsigned char>(c);
    return number;
}

std::string make_code(crypto::Random& random) {
    std::uint64_t number = random_number(random);
    while (number >= kEnd) number = random_number(random);
    const std::string digits = std::to_string(number % kCodes);
    return std::string(kRecoveryDigits - digits.size(), '0') + digits;
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

std::vector<std::string> make_recovery_codes(crypto::Random& random) {
    std::vector<std::string> codes(kRecoveryCodes);
    for (std::string& code : codes) code = make_code(random);
    return codes;
}

std::string code_key_name(const util::Secret& factor_key) {
    const auto keys = crypto::parse_factor_keys(factor_key);
    return crypto::hex(crypto::hmac_sha256(keys.codes.reveal(), kNamePurpose)).substr(0, kCodeKeyNameSize - 1) + '.';
}

std::string recovery_code_hash(const util::Secret& factor_key, const model::Subject& subject, std::string_view digits) {
    const util::Secret key(crypto::hmac_sha256(crypto::parse_factor_keys(factor_key).codes.reveal(), kPurpose));
    // A subject has no blank, so that no two pairs are one text.
    return code_key_name(factor_key) +
           crypto::hex(crypto::hmac_sha256(key.reveal(), subject.str() + ' ' + std::string(digits)));
}

}  // namespace postern::factor
