// The names of levels and methods of logins in tokens and discovery (OpenID Connect Core §2, RFC 8176 §2).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/authentication.h"
#include "model/authorization.h"
#include "model/grant.h"
#include "oauth/settings.h"

namespace postern::oauth {

/// `acr` of a login by password alone: SAML 2.0 Authentication Context §3.4.9.
inline constexpr std::string_view kPasswordAcr = "urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport";
/// `acr` of a login with a second factor: the REFEDS MFA Profile.
inline constexpr std::string_view kSecondFactorAcr = "https://refeds.org/profile/mfa";
/// `acr` of a login with a passkey: OpenID Connect EAP ACR Values 1.0 §2.
inline constexpr std::string_view kPhishingResistantAcr = "phr";

/// Returns false where the web server lets people in and `login.remoteLevel` does not say what such a login is worth:
/// the server then says nothing about levels and methods.
inline bool knows_how_users_log_in(const Settings& settings) { return settings.login.has_levels(); }

/// Returns true if there are passkeys here at all: the configuration wants them, and the issuer's host can have them.
bool offers_passkeys(const Settings& settings);
/// Returns the RP ID of the passkeys that count as a second factor; "": none does.
std::string_view rp_id_of_second_factor(const Settings& settings);

/// Returns the highest level that a login can have with this configuration; unknown where the web server lets people
/// in.
model::Level highest_level(const Settings& settings);

/// Returns the level that `acr` names, the configuration's own names included; nullopt for any other value, and for a
/// level that no login can have.
std::optional<model::Level> level_named(const Settings& settings, std::string_view acr);

/// Returns `acr_values_supported`: the names of all levels that a login can have, the lowest first.
std::vector<std::string> supported_acr_values(const Settings& settings);

/// Returns `acr` of a login: the first value that the client asked for and the login satisfies, else the level's own
/// name; "" where the level is not known.
std::string acr_of_login(const Settings& settings, model::Level level, const model::RequestedAcr& asked);

/// Adds acceptable values: a voluntary list is a wish, and one that is essential a demand (§5.5.1.1).
enum class AcrNeed { voluntary, essential };
void add_acr_values(const Settings& settings, model::RequestedAcr& asked, const std::vector<std::string>& values,
                    AcrNeed need);

/// Sets `acr` and `amr` of the grant's login, where they are known.
void add_authentication(const model::Grant& grant, json::Object& claims);

}  // namespace postern::oauth
