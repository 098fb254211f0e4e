// Lengths of time as people write them.
#pragma once

#include <optional>
#include <string_view>

#include "util/clock.h"

namespace postern::cli {

/// A whole number and its unit, m, h or d: 90m, 24h, 7d. nullopt for everything else, and for more than 100 years.
std::optional<util::Seconds> parse_duration(std::string_view text);

}  // namespace postern::cli
