// Waits for another process: until a condition holds, a lock on an open file is free, or fewer processes of this
// machine do something dear.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/file.h"

namespace postern::os {

using Deadline = std::chrono::steady_clock::time_point;

/// Asks `done` until it is true or the deadline has passed, once in any case, and returns its last answer. The first
/// pause takes 0.1 ms, each further one twice as long, and none longer than `longest_pause`.
bool poll_until(Deadline deadline, std::chrono::milliseconds longest_pause, const std::function<bool()>& done);

/// Takes the exclusive lock of the open file (flock(2)), which the kernel frees when its holder dies. False: another
/// holder has it. Throws std::system_error when the kernel refuses.
bool try_lock(int descriptor);
/// Waits for the lock in the kernel's queue until the deadline; false and throws as try_lock does. Uses SIGALRM and
/// ITIMER_REAL while it waits, and leaves both as they were.
bool lock_until(int descriptor, Deadline deadline);
void unlock(int descriptor) noexcept;

/// A right to hash one password (about 20 ms and 16 MiB), or to wait for one host; given back on destruction, and by
/// the kernel when the process dies.
class Slot {
public:
    using GivesUp = std::function<bool()>;

    /// Waits at most `wait` for one of `slots` places, and not after `gives_up` has answered true, which is asked every
    /// 5 ms at least; nullopt when all stayed taken. The last place is tried first: of callers with different `slots`,
    /// the one that may use fewer finds one of these. Creates the lock files (mode 0660) when missing; throws
    /// std::system_error when that fails. Their names are `files` and a number from 0; "" always gets a place.
    static std::optional<Slot> acquire(const std::string& files, int slots, std::chrono::milliseconds wait,
                                       const GivesUp& gives_up = {});

    /// Makes the lock files that are missing, and names all of them: for a process that may make no file later.
    static std::vector<std::string> make_files(const std::string& files, int slots);

private:
    explicit Slot(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;  ///< locked; none without files
};

}  // namespace postern::os
