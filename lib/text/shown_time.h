// A time as pages show it.
#pragma once

#include "text/message.h"
#include "util/clock.h"

namespace postern::text {

text::Message shown_day(util::Time time);   ///< "3 May 2026"
text::Message shown_time(util::Time time);  ///< "3 May 2026, 14:05 UTC"

}  // namespace postern::text
