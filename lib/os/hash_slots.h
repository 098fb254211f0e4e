// Limits how many passwords are hashed at the same time on this machine, by lock files that its processes share.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/file.h"

namespace postern::os {

/// A right to spend one hash's worth of processor and memory (about 20 ms and 16 MiB); given back on destruction, and
/// by the kernel when the process dies.
class HashSlot {
public:
    /// Waits at most `wait` for one of `slots` places; nullopt when all stayed taken. Creates the lock files (mode
    /// 0660) when missing; throws std::system_error when that fails. Their names
    /// begin with `files`; "" always gets a place.
    static std::optional<HashSlot> acquire(const std::string& files, int slots, std::chrono::milliseconds wait);

    /// Makes the lock files that are missing, and names all of them: for a process that may make no file later.
    static std::vector<std::string> make_files(const std::string& files, int slots);

private:
    explicit HashSlot(Descriptor file) : file_(std::move(file)) {}
    Descriptor file_;  ///< locked; none without files
};

}  // namespace postern::os
