// `postern token preview`: what a client would be told about a user.
#pragma once

#include "cli/command.h"

namespace postern::cli {

void add_token_preview_command(const Command& group, Invocation& invocation);

}  // namespace postern::cli
