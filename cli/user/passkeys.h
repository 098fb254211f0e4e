// `postern user passkeys`: which passkeys a user has, and the operator's removal and release of one.
#pragma once

#include "cli/command.h"
#include "store/passkeys.h"

namespace postern::cli {

void add_user_passkeys_command(const Command& group, Invocation& invocation);

/// The audit line of a passkey that the operator has removed.
void note_removed(const Invocation& invocation, const store::Passkey& passkey);

}  // namespace postern::cli
