// The pages of the gate at a site, below `.postern/`.
#pragma once

#include <string>

#include "web/gate/visit.h"

namespace postern::web {

/// Answers a request for the page `name` of the gate (GATE-22, GATE-25, GATE-26); 404 for any other.
GateAnswer answer_own_page(const GateVisit& visit, const std::string& name);

}  // namespace postern::web
