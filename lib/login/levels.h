// The levels that decide whether a session is enough.
#pragma once

#include "oauth/context.h"
#include "oauth/next_step.h"
#include "store/second_factor.h"

namespace postern::login {

/// Reads the levels that oauth::next_step compares. The user's own state is read only where it could matter, and
/// returned then.
store::SecondFactorState read_levels(const oauth::Context& context, oauth::AuthorizationInput& input);

}  // namespace postern::login
