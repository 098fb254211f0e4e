// How CGI variables are named, and which names of them are one and the same.
#pragma once

#include <string>
#include <string_view>

namespace postern::server {

/// 1 to 128 letters, digits, - and _, no digit first.
bool is_variable_name(std::string_view name);

/// In capitals, with "_" for "-" as servers write it, and without the marks of Apache's internal redirects (REDIRECT_,
/// once for each).
std::string plain_name(std::string_view name);

}  // namespace postern::server
