// May this be a user's new password? (NIST SP 800-63B-4 §3.1.1.2)
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/params.h"
#include "oauth/context.h"
#include "util/result.h"
#include "util/secret.h"

namespace postern::web {

inline constexpr std::size_t kMinPasswordCharacters = 15;

/// Why not, in a sentence for the user; "" when it may.
std::string new_password_problem(std::string_view password, std::string_view username);

/// What the fields `new` and `again` of a form say twice, when it may be the password of that user; else why not, in a
/// sentence for the user.
util::Result<util::Secret, std::string> read_new_password(const http::Params& form, std::string_view username);

/// The hash of a new password, made in one of the places that limit how many this machine makes at a time; nullopt: all
/// stayed taken for the bounded wait. Throws db::StoreError.
std::optional<std::string> hash_new_password(const oauth::Context& context, const util::Secret& password);
inline constexpr const char* kNoHashSlot =
    "every hash slot was taken; login.hashSlots sets how many there are";  ///< for the log

}  // namespace postern::web
