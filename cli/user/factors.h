// `postern user factors`: what second factors a user has, and the operator's reset.
#pragma once

#include "cli/command.h"

namespace postern::cli {

void add_user_factors_command(const Command& group, Invocation& invocation);

}  // namespace postern::cli
