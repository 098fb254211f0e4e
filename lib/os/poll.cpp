// A wait for something that another process does.
#include "os/poll.h"

#include <algorithm>
#include <thread>

namespace postern::os {

bool poll_until(Deadline deadline, std::chrono::milliseconds longest_pause, const std::function<bool()>& done) {
    std::chrono::microseconds pause{100};
    while (!done()) {
        if (std::chrono::steady_clock::now() >= deadline) return false;
        std::this_thread::sleep_for(pause);
        pause = std::min<std::chrono::microseconds>(pause * 2, longest_pause);
    }
    return true;
}

}  // namespace postern::os
