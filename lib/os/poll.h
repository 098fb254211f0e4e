// A wait for something that another process does, by looking again and again.
#pragma once

#include <chrono>
#include <functional>

namespace postern::os {

using Deadline = std::chrono::steady_clock::time_point;

/// Asks `done` until it is true or the deadline has passed, once in any case, and returns its last answer. The first
/// pause takes 0.1 ms, each further one twice as long, and none longer than `longest_pause`.
bool poll_until(Deadline deadline, std::chrono::milliseconds longest_pause, const std::function<bool()>& done);

}  // namespace postern::os
