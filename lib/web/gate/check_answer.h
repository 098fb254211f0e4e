// The answer to a question: pass, sign in, or refused.
#pragma once

#include "web/gate/visit.h"

namespace postern::web {

/// Answers whether the request may pass (GATE-12, GATE-15, GATE-16, GATE-24).
GateAnswer answer_check(const GateVisit& visit);

/// Makes the answer to a question that is refused whatever user asks: 403, and a record for the operator.
http::Response refuse_question(refusal::Reason reason, const std::string& detail);

}  // namespace postern::web
