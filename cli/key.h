// The parts of `postern key`.
#pragma once

#include "command.h"

namespace postern::cli {

void add_rotate_command(CLI::App& group, Invocation& invocation);
void add_retire_command(CLI::App& group, Invocation& invocation);

}  // namespace postern::cli
