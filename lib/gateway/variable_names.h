// How CGI variables are named, and which names of them are one and the same.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::gateway {

/// 1 to 128 letters, digits, - and _, no digit first.
bool is_variable_name(std::string_view name);

/// In capitals, with "_" for "-" as servers write it, and without the marks of Apache's internal redirects (REDIRECT_,
/// once for each).
std::string plain_name(std::string_view name);

/// What keeps `name` from being one of `authorizationVariables`, as the words after the name ("must be ..."); nullopt
/// when nothing does. Accepted are HTTP_AUTHORIZATION, and the name of a rewrite rule's variable that ends in
/// AUTHORIZATION and is not another header; each with any number of REDIRECT_ before it.
std::optional<std::string> authorization_variable_fault(std::string_view name);

}  // namespace postern::gateway
