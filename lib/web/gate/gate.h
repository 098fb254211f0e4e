// The gate as web servers and browsers see it: questions, and the few pages that are its own.
#pragma once

#include <string>
#include <vector>

#include "http/message.h"
#include "oauth/context.h"
#include "pages/page.h"
#include "web/gate/visit.h"

namespace postern::web {

/// Returns the CGI variables that a request to the gate is read from.
std::vector<std::string> gate_variables();

/// Answers a request to the gate.
GateAnswer answer_gate(oauth::Context& context, const pages::PageBook& pages, const http::Request& request);

}  // namespace postern::web
