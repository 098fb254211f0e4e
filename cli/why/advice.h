// What to change after a refusal: one table, by error code.
#pragma once

#include <string_view>

#include "server/refusal_ring.h"

namespace postern::cli {

/// One or two sentences for the operator of the server or of the client. Never empty.
std::string_view advice_for(const server::RefusalRecord& refusal);

}  // namespace postern::cli
