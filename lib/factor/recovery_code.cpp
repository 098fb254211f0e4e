// Decides which numbers recovery codes are, and under which key they are hashed.
#include "factor/recovery_code.h"

#include <cstdint>
#include <limits>

#include "crypto/digest.h"
#include "crypto/seal.h"

namespace postern::factor {
namespace {

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
