// The two pages of a login: a form for name and password or a passkey, and a form for the second factor.
#pragma once

#include <optional>

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// The sentence for each refusal of a passkey.
inline constexpr const char* kPasskeyRefused = text::tr("That passkey was not accepted.");

/// Shows the first page, to a visit without a half login, with a sentence about what has happened. Its form is filled
/// with the name that was typed, or with `login_hint`.
http::Response show_first_page(Interaction& interaction, const LoginVisit& visit, const text::Message& message);

/// Takes the POST of the first page: a passkey, or a right password starts a session and sends the browser back to the
/// authorization endpoint, or to the step of the login that is missing. A wrong one, an unknown and a disabled user
/// show the form again in the same words after the same work.
http::Response submit_first_page(Interaction& interaction, const LoginVisit& visit);

/// Shows the second page, to a visit with a half login: the form for the factors that the user has set up.
http::Response show_second_page(Interaction& interaction, const LoginVisit& visit);

/// Takes the POST of the second page: a right code, or a passkey, completes the login. A wrong one shows the form
/// again; the password is not asked for again.
http::Response submit_second_page(Interaction& interaction, const LoginVisit& visit);

/// Shows the page behind one of the last recovery codes, which says so and leads on. nullopt: the query that
/// submit_second_page() leads to, or the session, is not there.
std::optional<http::Response> show_few_codes(Interaction& interaction, const LoginVisit& visit);

}  // namespace postern::web
