// The first page of a login: the form for name and password, and for a passkey.
#pragma once

#include "http/message.h"
#include "web/interaction.h"

namespace postern::web {

/// The form for a visit without a half login, with a sentence about what has happened. It is filled with the name that
/// was typed, or with `login_hint`.
http::Response show_first_page(Interaction& interaction, const LoginVisit& visit, const text::Message& message);

/// POST: a passkey, or a right password starts a session and sends the browser back to the authorization endpoint, or
/// to the step of the login that is missing. A wrong one, an unknown and a disabled user show the form again in the
/// same words after the same work.
http::Response submit_first_page(Interaction& interaction, const LoginVisit& visit);

}  // namespace postern::web
