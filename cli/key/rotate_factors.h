// `postern key rotate --factors`.
#pragma once

#include "cli/command.h"
#include "util/clock.h"

namespace postern::cli {

struct FactorRotation {
    bool end_codes = false;  ///< end all recovery codes, so that the former key is worth nothing
    util::Seconds wait{};    ///< for other nodes
};

/// Seals the secrets of all apps with a new key. Until that is done factor.key has the former key as well, so that
/// logins go on. One that was cut off goes on where it was. Throws Refused when another node does not have the new key
/// in time; both keys then stay in use.
void rotate_factors(const Invocation& invocation, const FactorRotation& rotation);

}  // namespace postern::cli
