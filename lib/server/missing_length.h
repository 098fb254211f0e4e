// Why a body arrived without its length, and what makes the web server send it.
#pragma once

#include <string_view>

#include "gateway/body.h"

namespace postern::server {

/// Returns advice for the operator, by the name of the web server (SERVER_SOFTWARE) and the way its requests arrive.
std::string_view explain_missing_length(std::string_view software, gateway::StreamEnd end);

}  // namespace postern::server
