// Who waits how long for whom: an exclusive lock on an open file, in the kernel's queue and with an end.
#pragma once

#include <chrono>

namespace postern::store {

using Deadline = std::chrono::steady_clock::time_point;

/// All three are of the open file, not of the process (flock(2)); the kernel frees it when its holder dies. False:
/// somebody else has it, and still had it at the deadline. Throws StoreError when the kernel refuses.
bool try_lock(int descriptor);
bool lock_until(int descriptor, Deadline deadline);
void unlock(int descriptor) noexcept;

}  // namespace postern::store
