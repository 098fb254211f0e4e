// Waits for another process: until a condition holds, or a lock on an open file is free.
#pragma once

#include <chrono>
#include <functional>

namespace postern::os {

using Deadline = std::chrono::steady_clock::time_point;

/// Asks `done` until it is true or the deadline has passed, once in any case, and returns its last answer. The first
/// pause takes 0.1 ms, each further one twice as long, and none longer than `longest_pause`.
bool poll_until(Deadline deadline, std::chrono::milliseconds longest_pause, const std::function<bool()>& done);

/// Takes the exclusive lock of the open file (flock(2)), which the kernel frees when its holder dies. False: another
/// holder has it. Throws std::system_error when the kernel refuses.
bool try_lock(int descriptor);
/// Waits for the lock until the deadline; false and throws as try_lock does.
bool lock_until(int descriptor, Deadline deadline);
void unlock(int descriptor) noexcept;

}  // namespace postern::os
