// A time as pages show it.
#pragma once

#include <string>

#include "util/clock.h"

namespace postern::web {

std::string shown_day(util::Time time);   ///< "3 May 2026"
std::string shown_time(util::Time time);  ///< "3 May 2026, 14:05 UTC"

}  // namespace postern::web
