// What time it is, as the machine has it.
#include "util/clock.h"

namespace postern::util {

Time SystemClock::now() const { return std::chrono::floor<Seconds>(std::chrono::system_clock::now()); }

}  // namespace postern::util
