// The name that a client gives itself when it registers (RFC 7591 §2, client_name).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::oauth {

/// Returns why nobody can read the name on a page as what it is, as the words behind "client_name", or nullopt. It has
/// 1 to 256 bytes of UTF-8 with something to be seen; no control or direction characters, no separators of lines, no
/// invisible characters but joiners between two letters that are not both ASCII, and at most 2 combining marks in a
/// row.
std::optional<std::string> registered_name_problem(std::string_view name);

}  // namespace postern::oauth
