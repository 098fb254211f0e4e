// `postern user add`: adds one user.
#pragma once

#include "cli/command.h"

namespace postern::cli {

void add_user_add_command(const Command& group, Invocation& invocation);

}  // namespace postern::cli
