// The answer to a question of the web server. Pure policy: no HTTP, no storage, no clock of its own. Who may pass is
// the decision of oauth::next_step, as for every other client.
#pragma once

#include "gate/question.h"
#include "gate/request_kind.h"
#include "oauth/next_step.h"

namespace postern::gate {

enum class Verdict {
    pass,
    sign_in,      ///< no user is signed in, or the login is too old or worth too little
    may_not_use,  ///< the site is not for this user
};

/// Returns the authorization request of which a check is the silent answer: that of the site, with `prompt=none`.
model::AuthorizationRequest silent_request(const model::Client& client);

/// Decides whether the user passes. `input` is about silent_request(); `signed_in_at`: when the cookie was made.
Verdict verdict_of(const oauth::AuthorizationInput& input, util::Time signed_in_at);

/// The answers to a question.
enum class Answer {
    pass,          ///< 200, with the headers
    redirect,      ///< 302 to the sign-in
    redirect_401,  ///< 401 with the same Location, for a sub-request that passes on nothing else
    sign_in_page,  ///< 401 with a page: a form was not sent
    sign_in_text,  ///< 401 with a short text
    refuse_page,   ///< 403 with a page
    refuse_text,   ///< 403 with a short text
};

/// Returns the answer to a question of that way about a request of that kind (GATE-12, GATE-15, GATE-16, GATE-24). A
/// sub-request has no page, because its web server shows none.
Answer answer_of(Verdict verdict, Way way, RequestKind kind);

}  // namespace postern::gate
