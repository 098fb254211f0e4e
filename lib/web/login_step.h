// Carries out what login/step decides: the pages that a login leads to, and the answer when it is whole.
#pragma once

#include <optional>
#include <string>

#include "http/message.h"
#include "login/complete.h"
#include "login/proof.h"
#include "login/remembered_device.h"
#include "oauth/next_step.h"
#include "store/second_factor.h"
#include "web/interaction.h"

namespace postern::web {

/// Decides the next step of the login of that visit, which has a half login. `proved` as in login::LoginInput.
login::LoginStep find_login_step(const Interaction& interaction, db::Database& database, const LoginVisit& visit,
                                 std::optional<model::Authentication> proved = std::nullopt);

/// Redirects to the page on which the user gives what the step asks for, with the half login in the seal, or the page
/// that says why there is none.
http::Response ask_for(Interaction& interaction, model::AuthorizationRequest request, const login::LoginStep& step);

/// A login that has begun: a session, or a step that is missing.
struct BegunLogin {
    login::LoginStep step;
    std::optional<login::StartedSession> started = std::nullopt;
    std::optional<login::DeviceCookie> device = std::nullopt;  ///< that was used
};
/// Goes on behind the first half, with a remembered device where that is enough. AskPassword: the user has changed
/// meanwhile.
BegunLogin begin(Interaction& interaction, const LoginVisit& visit, const login::Proof& first);

/// Completes the login of that visit by `step`, which is its last. nullopt: something has changed meanwhile.
std::optional<login::StartedSession> complete(Interaction& interaction, const LoginVisit& visit,
                                              const login::LoginStep& step, const login::Spend& spend);

/// Raises the browser's session, which is not worth enough for `request`: redirects to the page whose proof raises it,
/// or the page that tells why there is none. nullopt: a factor is to be set up, and the password is too old to allow
/// that, so the login comes first.
std::optional<http::Response> raise_login(Interaction& interaction, const model::AuthorizationRequest& request,
                                          const model::Client* client, const store::SecondFactorState& user);

/// Returns the URL of the login page of the same request, for another user or from the beginning.
std::string first_page_url(Interaction& interaction, const LoginVisit& visit);
/// Redirects to the login page of the same request.
http::Response start_over(Interaction& interaction, const LoginVisit& visit);

/// Answers a completed login: on to the application or the page of the account, with the session's cookie.
http::Response go_on_with(Interaction& interaction, const LoginVisit& visit, const login::StartedSession& started);

/// Returns the form that is shown again because a credential was refused: 429 while nothing is looked at, 503 where
/// this server cannot look.
http::Response answer_refused(http::Response form, const login::ProofRefused& refused, http::Refusal why);

}  // namespace postern::web
