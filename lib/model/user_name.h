// Which texts may be the name of a user?
#pragma once

#include <string_view>

namespace postern::model {

/// 1 to 128 bytes of UTF-8 without control and direction characters, and without a blank at either end, where it cannot
/// be seen. Names compare byte by byte.
bool is_user_name(std::string_view name);

/// Accepts the name of a user who is made now: nothing in it is invisible, as RFC 8265 §3 has it for user names. No
/// default-ignorable character, except that the joiners U+200C and U+200D, which some scripts need, may stand inside;
/// and none of Unicode's white space at either end. Users who have such a name already keep it.
bool is_new_user_name(std::string_view name);

}  // namespace postern::model
