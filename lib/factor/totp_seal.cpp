// Decides what the seal of an app's secret is bound to.
#include "factor/totp_seal.h"

#include "crypto/factor_key.h"
#include "crypto/seal.h"

namespace postern::factor {
namespace {

std::string purpose_of(const model::Subject& subject, util::Time created_at) {
    return "postern totp v1|" + subject.str() + '|' + std::to_string(util::to_epoch(created_at));
}

}  // namespace

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
