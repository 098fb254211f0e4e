// How the answer of an authorization request is sent: every one of them, success or error, goes where the request's
// response mode says (OAuth 2.0 Multiple Response Types §2.1, Form Post Response Mode §2).
#pragma once

#include "http/message.h"
#include "http/url.h"
#include "oauth/error.h"
#include "oauth/redirect_uri.h"
#include "pages/page.h"
#include "web/interaction.h"

namespace postern::web {

/// Sends the parameters with `state` and `iss` (RFC 9207 §2) behind them, in the query or fragment of a 303 to the
/// verified address, or as the fields of a page that posts them there. In a signed mode the one parameter is
/// `response`, which contains them (JARM §2.3); that needs Keys opened for sign.
http::Response authorization_response(oauth::Context& context, const pages::Pages& pages,
                                      const oauth::VerifiedRedirect& target, http::Parameters parameters);

/// Sends error and error_description (RFC 6749 §4.1.2.1, §4.2.2.1); the refusal is recorded for the operator.
http::Response authorization_error(oauth::Context& context, const pages::Pages& pages,
                                   const oauth::VerifiedRedirect& target, const oauth::OAuthError& error);

/// Sends an error that the user has not chosen. If anyone can have made the client (oauth::is_known_to_operator), it is
/// a page with a link: else this server would send browsers to any site that asks for it (RFC 9700 §4.11.2), or start
/// any program. What listens on the user's own machine is told at once.
http::Response early_error(const Interaction& interaction, const oauth::VerifiedRedirect& target,
                           const oauth::OAuthError& error);

}  // namespace postern::web
