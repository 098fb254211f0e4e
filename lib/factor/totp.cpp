// Decides whether six digits are a code of an authenticator app, and of which time.
#include "factor/totp.h"

#include <array>
#include <cstdlib>

#include "crypto/digest.h"
#include "crypto/seal.h"
#include "util/percent.h"

namespace postern::factor {
namespace {

constexpr std::int64_t kAccepted = 1;     // steps on either side, RFC 6238 §5.2
constexpr std::int64_t kRecognized = 10;  // for the log alone

constexpr std::size_t kCounterBytes = 8;
constexpr std::array<std::uint32_t, 9> kPowersOfTen = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

std::string big_endian(std::uint64_t counter) {
    std::string bytes(kCounterBytes, '\0');
    for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, counter >>= 8U)
        *byte = static_cast<char>(counter & 0xFFU);
    return bytes;
}

/// RFC 4226 §5.3: the 31 bits at the offset that the last four bits name.
std::uint32_t truncate(std::string_view mac) {
    const auto byte = [&](std::size_t at) { return static_cast<std::uint32_t>(static_cast<unsigned char>(mac[at])); };
    const std::size_t offset = byte(mac.size() - 1) & 0x0FU;
    return (byte(offset) & 0x7FU) << 24U | byte(offset + 1) << 16U | byte(offset + 2) << 8U | byte(offset + 3);
}

/// Returns the verdict on the code of `step` at the step `now`.
TotpVerdict judge(std::int64_t step, std::int64_t now, std::int64_t last_step) {
    const std::int64_t off = step - now;
    const bool is_near = std::abs(off) <= kAccepted;
    if (step == last_step || (is_near && step < last_step)) return {.outcome = TotpOutcome::used, .step = step};
    if (is_near) return {.outcome = TotpOutcome::right, .step = step};
    return {.outcome = TotpOutcome::clock_off, .step = step, .seconds_off = static_cast<int>(off * kTotpStep.count())};
}

/// Prefers, of two steps with the same code, an accepted one, then a spent one.
bool is_better(const TotpVerdict& one, const TotpVerdict& other) {
    constexpr auto rank = [](TotpOutcome outcome) {
        return outcome == TotpOutcome::right ? 3 : outcome == TotpOutcome::used ? 2 : outcome == TotpOutcome::clock_off;
    };
    return rank(one.outcome) >= rank(other.outcome);
}

std::string purpose_of(const model::Subject& subject, util::Time created_at) {
    return "postern totp v1|" + subject.str() + '|' + std::to_string(util::to_epoch(created_at));
}

}  // namespace

util::Secret make_totp_secret(crypto::Random& random) { return util::Secret(random.bytes(kTotpSecretBytes)); }

std::string base32(std::string_view bytes) {
    constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    std::string text;
    std::uint32_t waiting = 0;
    unsigned bits = 0;
    for (const char c : bytes) {
        waiting = (waiting << 8U | static_cast<unsigned char>(c)) & 0xFFFU;
        for (bits += 8; bits >= 5; bits -= 5) text += kAlphabet[waiting >> (bits - 5) & 0x1FU];
    }
    if (bits > 0) text += kAlphabet[waiting << (5 - bits) & 0x1FU];
    return text;
}

std::string otpauth_uri(const std::string& name, const std::string& username, const util::Secret& secret) {
    const std::string issuer = util::percent_encode(name);
    return "otpauth://totp/" + issuer + ":" + util::percent_encode(username) + "?secret=" + base32(secret.reveal()) +
           "&issuer=" + issuer + "&algorithm=SHA1&digits=6&period=30";
}

std::string hotp(const util::Secret& secret, std::uint64_t counter, int digits) {
    const auto length = static_cast<std::size_t>(digits);
    const std::string mac = crypto::hmac_sha1(secret.reveal(), big_endian(counter));
    const std::string number = std::to_string(truncate(mac) % kPowersOfTen.at(length));
    return std::string(length - number.size(), '0') + number;
}

TotpVerdict check_totp(const util::Secret& secret, std::string_view digits, util::Time now, std::int64_t last_step) {
    const std::int64_t middle = util::to_epoch(now) / kTotpStep.count();
    TotpVerdict verdict;
    // Upwards: of two right steps the later one is spent, and with it both.
    for (std::int64_t step = middle - kRecognized; step <= middle + kRecognized; ++step) {
        const bool is_equal = crypto::equal_constant_time(hotp(secret, static_cast<std::uint64_t>(step)), digits);
        const TotpVerdict candidate = judge(step, middle, last_step);
        if (is_equal && is_better(candidate, verdict)) verdict = candidate;
    }
    return verdict;
}

std::string seal_totp_secret(const util::Secret& factor_key, const model::Subject& subject, util::Time created_at,
                             const util::Secret& secret, crypto::Random& random) {
    return crypto::seal(crypto::parse_factor_keys(factor_key).sealing, purpose_of(subject, created_at), secret.reveal(),
                        random);
}

std::optional<util::Secret> open_totp_secret(const util::Secret& factor_key, const model::Subject& subject,
                                             util::Time created_at, std::string_view sealed) {
    const crypto::FactorKeys keys = crypto::parse_factor_keys(factor_key);
    const std::string purpose = purpose_of(subject, created_at);
    auto plain = crypto::open_seal(keys.sealing, purpose, sealed);
    // While a rotation is under way, rows are sealed with either.
    if (!plain && !keys.previous.empty()) plain = crypto::open_seal(keys.previous, purpose, sealed);
    if (!plain) return std::nullopt;
    return util::Secret(*std::move(plain));
}

}  // namespace postern::factor
