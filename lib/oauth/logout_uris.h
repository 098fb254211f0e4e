// The rules for the addresses at which a client is told that a session has ended (OpenID Connect Back-Channel Logout
// 1.0 §2.2, Front-Channel Logout 1.0 §2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/client.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// Returns the reason why `uri` cannot be a back-channel logout URI, as the end of a sentence that begins with the URI;
/// nullopt if it can.
std::optional<std::string> backchannel_logout_uri_problem(std::string_view uri, const Settings& settings);

/// Returns a sentence for each rule that the client's addresses break. An address for a kind of logout that is off
/// breaks one, since the server would never tell the client.
std::vector<std::string> logout_uri_problems(const model::Client& client, const Settings& settings);

/// Returns true if the client is told of the end of sessions in a way that is on here.
bool is_told_of_logouts(const Settings& settings, const model::LogoutUris& uris);

}  // namespace postern::oauth
