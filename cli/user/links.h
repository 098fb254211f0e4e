// `postern user invite` and `postern user reset-link`.
#pragma once

#include "cli/command.h"

namespace postern::cli {

void add_user_invite_command(const Command& group, Invocation& invocation);
void add_user_reset_link_command(const Command& group, Invocation& invocation);

}  // namespace postern::cli
