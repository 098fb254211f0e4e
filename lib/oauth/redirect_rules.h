// The rules for a client's redirect URIs (RFC 8252 §7, §8; OAuth 2.0 security practice, RFC 9700 §2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postern::oauth {

inline constexpr std::size_t kMaxRedirectUriBytes = 2048;

/// Returns why `uri` cannot be a redirect URI of a client and what to write instead, as the words after it; nullopt if
/// it can. `native`: private-use schemes are allowed (RFC 8252 §7.1).
std::optional<std::string> redirect_uri_problem(std::string_view uri, bool native);

/// Returns true if the host of a URL is the machine itself, in any spelling: besides the three that count as loopback
/// (http::is_loopback_http) 127.0.0.2, 127.1, 0.0.0.0, [::ffff:127.0.0.1], localhost. and names below localhost.
bool names_this_machine(std::string_view host);

/// Returns true for a private-use scheme that is no domain name in reverse (RFC 8252 §7.1, §8.4). Those of systems and
/// browsers (search-ms, intent, feed) have no dot, and start what a stranger must not.
bool has_scheme_without_dot(std::string_view redirect_uri);

/// Returns true for http on a loopback host and for a private-use scheme (RFC 8252 §7.1, §7.3). Any program on the
/// user's machine may receive an answer that is sent there, so a public client proves nothing by receiving it (§8.6).
bool is_loopback_or_private(std::string_view redirect_uri);

}  // namespace postern::oauth
