// Points in time and lengths of time as users and programs write them.
#pragma once

#include <optional>
#include <string_view>

#include "util/clock.h"

namespace postern::cli {

/// Seconds since 1970, or a date-time of RFC 3339 §5.6, whose fraction of a second is rounded up: what happened in that
/// second has happened before it was over. nullopt for everything else.
std::optional<util::Time> parse_time(std::string_view text);

/// A whole number and its unit, m, h or d: 90m, 24h, 7d. nullopt for everything else, and for more than 100 years.
std::optional<util::Seconds> parse_duration(std::string_view text);

}  // namespace postern::cli
