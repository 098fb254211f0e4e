// Limits how many processes of this machine do something dear at the same time, by lock files that they share.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/file.h"

namespace postern::os {

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
