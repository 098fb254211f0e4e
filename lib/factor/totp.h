// The codes of an authenticator app (RFC 6238), the text from which the app computes them, and the seal under which
// its secret is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "crypto/random.h"
#include "model/ids.h"
#include "util/clock.h"
#include "util/secret.h"

namespace postern::factor {

inline constexpr std::size_t kTotpSecretBytes = 20;  ///< RFC 4226 §4 R6
inline constexpr int kTotpDigits = 6;
inline constexpr util::Seconds kTotpStep{30};  ///< RFC 6238 §4.1, with T0 = 0

/// Makes kTotpSecretBytes random bytes.
util::Secret make_totp_secret(crypto::Random& random);

/// Encodes as RFC 4648 §6 without padding: apps read a secret so.
std::string base32(std::string_view bytes);

/// Returns `otpauth://totp/NAME:USERNAME?...`, with both percent-encoded. `name` is of the service. The text holds the
/// secret.
std::string otpauth_uri(const std::string& name, const std::string& username, const util::Secret& secret);

/// Computes the code for a moving factor (RFC 4226 §5.3), `digits` long: 6 to 8.
std::string hotp(const util::Secret& secret, std::uint64_t counter, int digits = kTotpDigits);

enum class TotpOutcome {
    right,
    wrong,
    used,       ///< the code of a step that is spent, or of one before it
    clock_off,  ///< the code of a step that is not near now: the clock of the app is wrong
};

struct TotpVerdict {
    TotpOutcome outcome = TotpOutcome::wrong;
    std::int64_t step = 0;  ///< whose code it is, unless it is wrong; spend it when right
    int seconds_off = 0;    ///< of clock_off: how far the app is ahead of `now`; negative: behind
};

/// Compares six digits with the codes near `now`. Right is the code of the step of `now` or of either neighbour, when
/// the step is later than `last_step`. Of the ten steps on either side it is known which one it is. Every candidate is
/// computed and compared, in constant time.
TotpVerdict check_totp(const util::Secret& secret, std::string_view digits, util::Time now, std::int64_t last_step);

/// Seals the secret of an app for its row. `factor_key` has the bytes of the file (crypto/seal.h). The seal opens
/// with its key, for this user and time alone.
/// `created_at` is that of the row.
std::string seal_totp_secret(const util::Secret& factor_key, const model::Subject& subject, util::Time created_at,
                             const util::Secret& secret, crypto::Random& random);

/// Opens the seal. nullopt: sealed with a key that the file does not have, moved from another row, or changed.
std::optional<util::Secret> open_totp_secret(const util::Secret& factor_key, const model::Subject& subject,
                                             util::Time created_at, std::string_view sealed);

}  // namespace postern::factor
