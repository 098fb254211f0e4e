// May this be a user's new password? (NIST SP 800-63B-4 §3.1.1.2)
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace postern::web {

inline constexpr std::size_t kMinPasswordCharacters = 15;

/// Why not, in a sentence for the user; "" when it may.
std::string new_password_problem(std::string_view password, std::string_view username);

}  // namespace postern::web
