// Whether a client may be registered as it is: the rules that are kept when a registration is saved, so that no
// endpoint has to doubt what it reads (RFC 6749 §2, RFC 8252 §7, §8; OAuth 2.0 security practice, RFC 9700 §2.1).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/client.h"
#include "oauth/settings.h"

namespace postern::oauth {

inline constexpr std::size_t kMaxClientIdBytes = 128;
inline constexpr std::size_t kMaxClientNameBytes = 256;
inline constexpr std::size_t kMaxRedirectUriBytes = 2048;
inline constexpr std::size_t kMaxScopeBytes = 2048;  ///< an access token repeats it, and `limits.token` takes that
inline constexpr std::size_t kMinClientSecretBytes = 32;
inline constexpr std::size_t kMaxClientSecretBytes = 512;

/// Every rule that `client` breaks, a sentence each: what, why, how to fix it. Empty: it may be saved.
std::vector<std::string> registration_problems(const model::Client& client, const Settings& settings);

/// Returns advice about legal settings that were probably not meant, a sentence each.
std::vector<std::string> registration_advice(const model::Client& client, const Settings& settings);

/// Why `uri` cannot be a redirect URI of a client, or nullopt. `native`: private-use schemes are allowed (RFC 8252
/// §7.1).
std::optional<std::string> redirect_uri_problem(std::string_view uri, bool native);

/// Why an operator's own client secret cannot be used, or nullopt. It is stored under a fast hash, so it must be long
/// (RFC 6749 §10.10).
std::optional<std::string> client_secret_problem(std::string_view secret);

}  // namespace postern::oauth
