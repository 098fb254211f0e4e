// The answer to a question: pass, sign in, or refused.
#pragma once

#include "gate/check.h"
#include "http/message.h"
#include "oauth/context.h"
#include "oauth/error.h"
#include "web/gate/visit.h"

namespace postern::web {

/// Checks the access token of the request, where the site lets tokens pass and one came, else its cookies. Only reads.
/// Errors: those of check_bearer.
oauth::Outcome<gate::Checked> check_request(oauth::Context& context, const gate::Found& found,
                                            const http::Request& request);

/// Answers whether the request may pass, of which `checked` is what check_request returned (GATE-12, GATE-15, GATE-16,
/// GATE-24).
GateAnswer answer_check(const GateVisit& visit, oauth::Outcome<gate::Checked> checked);

/// Makes the answer to a question that is refused whatever user asks: 403, and a record for the operator.
http::Response refuse_question(refusal::Reason reason, const std::string& detail);

}  // namespace postern::web
