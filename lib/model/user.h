// A person who can log in. The password hash is not here, because only a login and the command may read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "model/ids.h"
#include "util/clock.h"

namespace postern::model {

struct User {
    Subject subject;
    std::string username;  ///< what is typed at login: UTF-8, no control characters, unique
    json::Object claims;   ///< OpenID Connect Core §5.1 names
    bool enabled = true;
    util::Time created_at{};
    util::Time updated_at{};
};

/// 1 to 128 bytes of UTF-8 without control and direction characters, and without a blank at either end, where it cannot
/// be seen. Names compare byte by byte.
bool is_user_name(std::string_view name);

/// Accepts the name of a user who is made now: nothing in it is invisible, as RFC 8265 §3 has it for user names. No
/// default-ignorable character, except that the joiners U+200C and U+200D, which some scripts need, may stand inside;
/// and none of Unicode's white space at either end. Users who have such a name already keep it.
bool is_new_user_name(std::string_view name);

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
