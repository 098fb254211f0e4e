// The second page of a login: a code or a passkey, behind the password.
#pragma once

#include <optional>

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// In the query of the login page: a session has just been started, with one of the last recovery codes.
inline constexpr const char* kFewCodesShown = "few_codes";
/// The page that says so and leads on, or nullopt: the query or the session is not there.
std::optional<http::Response> show_few_codes(Interaction& interaction, const LoginVisit& visit);

/// GET, of a visit with a half login: the form for what the user has set up.
http::Response show_second_page(Interaction& interaction, const LoginVisit& visit);

/// POST: a right code, or a passkey, completes the login. A wrong one shows the form again; the password is not asked
/// for again.
http::Response submit_second_page(Interaction& interaction, const LoginVisit& visit);

}  // namespace postern::web
