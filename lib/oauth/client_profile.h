// The FAPI 2.0 profile of a client: who has it, and what a registration must be for it (FAPI 2.0 Security Profile
// §5.3.2, Message Signing §5.3 and §5.4).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/client.h"
#include "oauth/error.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// The longest time for which a code of a client with a profile is good (Security Profile §5.3.2.1 item 11).
inline constexpr util::Seconds kMaxProfileCodeTtl{60};

/// Returns every rule of its profile that a registration breaks under the present configuration, a sentence each: what,
/// and how to fix it (F2-R1 to F2-R11). Rules about keys are looked at where `client.keys` is there. Empty: it fits, or
/// has no profile.
std::vector<std::string> profile_problems(const model::Client& client, const Settings& settings);

/// Returns what the profile advises against in the registration, a sentence each (F2-54).
std::vector<std::string> profile_advice(const model::Client& client, const Settings& settings);

/// Returns whether a client of a profile may authenticate in this way (Security Profile §5.3.2.1 item 6).
bool is_profile_method(model::AuthMethod method);

/// Refuses, at endpoints where a client only authenticates, one whose profile does not allow its way to do so (F2-5).
/// invalid_client.
Outcome<void> check_profile_method(const Settings& settings, const model::Client& client);

/// Returns the response modes that the client may ask for; empty: all that are offered. Profile
/// fapi2-message-signing: jwt alone (F2-R11).
std::set<std::string> response_modes_of(const Settings& settings, const model::Client& client);

/// Returns whether ID tokens of the client name their session by `sid` (F2-35).
bool is_told_sid(const Settings& settings, const model::Client& client);

}  // namespace postern::oauth
