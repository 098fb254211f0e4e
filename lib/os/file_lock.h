// An exclusive lock on an open file, waited for until a deadline.
#pragma once

#include "os/poll.h"

namespace postern::os {

/// The lock belongs to the open file, not to the process (flock(2)); the kernel frees it when the holder dies. False:
/// another holder has it, and still had it at the deadline. Throws std::system_error when the kernel refuses.
bool try_lock(int descriptor);
bool lock_until(int descriptor, Deadline deadline);
void unlock(int descriptor) noexcept;

}  // namespace postern::os
