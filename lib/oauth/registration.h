// The rules that are kept when a client's registration is saved, so that no endpoint has to doubt what it reads (RFC
// 6749 §2).
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
inline constexpr std::size_t kMaxScopeBytes = 2048;  ///< an access token repeats it, and `limits.token` takes that
inline constexpr std::size_t kMinClientSecretBytes = 32;
inline constexpr std::size_t kMaxClientSecretBytes = 512;

/// Returns every rule that `client` breaks, a sentence each: what, why, how to fix it. Empty: it may be saved.
std::vector<std::string> registration_problems(const model::Client& client, const Settings& settings);

/// Returns advice about legal settings that were probably not meant, a sentence each.
std::vector<std::string> registration_advice(const model::Client& client, const Settings& settings);

/// Returns why an operator's own client secret cannot be used, or nullopt. It is stored under a fast hash, so it must
/// be long (RFC 6749 §10.10).
std::optional<std::string> client_secret_problem(std::string_view secret);

}  // namespace postern::oauth
