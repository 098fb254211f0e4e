// What the keys of `login` accept that only method remote_user has (docs/decisions/0018-remote-user.md).
#pragma once

#include <string>
#include <string_view>

#include "config/checks.h"

namespace postern::config {

/// The name of a CGI variable that the web server's own modules set. Refused is every one that a client can fill:
/// headers (HTTP_*), the variables of the request itself (RFC 3875 §4.1), and Apache's REDIRECT_ copies of both.
Fault variable_fault(std::string_view name);

/// A claim that a variable can hold: of OpenID Connect Core §5.1 those that are text, true or false.
Fault environment_claim_fault(std::string_view claim);

/// An absolute https URL (http on a loopback host only) without fragment and user information. `{return}` may occur in
/// its query, once.
Fault logout_redirect_fault(std::string_view url);

}  // namespace postern::config
