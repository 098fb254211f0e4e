#include "fetch/fetcher.h"

#include <thread>

namespace postern::fetch {

void Fetcher::wait_until(Moment moment) const { std::this_thread::sleep_until(moment); }

}  // namespace postern::fetch
