// What to change after a refusal: one table, by error code.
#pragma once

#include <string_view>

namespace postern::cli {

/// A sentence or two for whoever runs the server or the client. Never empty.
std::string_view hint_for(std::string_view error);

}  // namespace postern::cli
