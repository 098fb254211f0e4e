// What may be the name of a user?
#pragma once

#include <string_view>

namespace postern::model {

/// 1 to 128 bytes of UTF-8 without control and direction characters, and without a blank at either end, where nobody
/// sees it. Names compare byte by byte.
bool is_user_name(std::string_view name);

}  // namespace postern::model
