// Changes claims of a user, and takes away what another claim says about the value of before.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "json/value.h"

namespace postern::model {

/// Names of claims with their new values; nullopt takes the claim away.
using ClaimChanges = std::vector<std::pair<std::string, std::optional<json::Value>>>;

struct ChangedClaims {
    std::vector<std::string> changed;  ///< named by the changes, with another value than before
    std::vector<std::string> dropped;  ///< `email_verified` and `phone_number_verified` of the value of before
};

/// Applies the changes. A changed `email` loses `email_verified`, a changed `phone_number` loses
/// `phone_number_verified`, and each change the `updated_at` of an import, unless the changes name that claim, too.
ChangedClaims change_claims(json::Object& claims, const ClaimChanges& changes);

}  // namespace postern::model
