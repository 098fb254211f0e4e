// `postern user import`.
#pragma once

#include "cli/command.h"

namespace postern::cli {

void add_user_import_command(CLI::App& group, Invocation& invocation);

}  // namespace postern::cli
