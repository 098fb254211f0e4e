// Secrets of clients: made, shown once, replaced.
#pragma once

#include <string>

#include "cli/command.h"
#include "util/secret.h"

namespace postern::cli {

/// The operator's own secret from standard input, which must be good enough, or 256 random bits.
util::Secret new_secret(bool from_stdin);

/// Prints a generated secret, which is not stored; the operator knows a secret from --secret-stdin already.
void print_credentials(const Invocation& invocation, const std::string& id, const util::Secret* generated);

void add_client_secret_command(const Command& group, Invocation& invocation);

}  // namespace postern::cli
