// `postern user import`.
#pragma once

#include "cli/command.h"

namespace postern::cli {

void add_user_import_command(const Command& group, Invocation& invocation);

}  // namespace postern::cli
