// What kind of program receives what is sent to a redirect URI?
#pragma once

#include <string_view>

namespace postern::oauth {

/// http on a loopback host, or a private-use scheme (RFC 8252 §7.1, §7.3): any program on the user's machine may
/// receive what is sent there, so a public client there proves nothing by it (§8.6).
bool is_loopback_or_private(std::string_view redirect_uri);

}  // namespace postern::oauth
