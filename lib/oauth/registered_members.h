// The members of a registration request as its checks read them, and their errors. Private to the registration_request
// and registered_addresses files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "oauth/error.h"
#include "oauth/registrant.h"
#include "oauth/settings.h"

namespace postern::oauth::registering {

/// The arguments of a check.
struct Asked {
    const json::Object& request;  ///< without the members that are null
    const Settings& settings;
    Registrant registrant;

    bool is_of_stranger() const { return registrant == Registrant::stranger; }
};

using Texts = std::vector<std::string>;

/// Makes an invalid_client_metadata; `detail` is for the log.
OAuthError refuse(std::string description, std::string detail = {});
/// Makes the error for a member that demands what this server does not offer.
OAuthError not_offered(std::string_view member);
/// Makes an invalid_redirect_uri; `detail` is for the log.
OAuthError refuse_redirect_uri(std::string description, std::string detail = {});

/// Returns the string; nullopt if it is absent. The error: it has another type.
Outcome<std::optional<std::string>> text_of(const Asked& asked, std::string_view member);
/// Returns the list of strings; nullopt if it is absent. The error: it has another type.
Outcome<std::optional<Texts>> texts_of(const Asked& asked, std::string_view member);
/// Returns the boolean; false if it is absent. The error: it has another type.
Outcome<bool> flag_of(const Asked& asked, std::string_view member);

}  // namespace postern::oauth::registering
