// How the secret of an authenticator app is stored: sealed with factor.key, for one user.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "crypto/random.h"
#include "model/ids.h"
#include "util/clock.h"
#include "util/secret.h"

namespace postern::factor {

/// `factor_key` has the bytes of the file (crypto/factor_key.h). Opens with its key, for this user and time alone.
/// `created_at` is that of the row.
std::string seal_totp_secret(const util::Secret& factor_key, const model::Subject& subject, util::Time created_at,
                             const util::Secret& secret, crypto::Random& random);

/// nullopt: sealed with a key that the file does not have, moved from another row, or changed.
std::optional<util::Secret> open_totp_secret(const util::Secret& factor_key, const model::Subject& subject,
                                             util::Time created_at, std::string_view sealed);

}  // namespace postern::factor
