// Wakes a program that waits for a file to change, from a process that can open nothing any more.
#pragma once

#include <string>

#include "os/file.h"

namespace postern::os {

/// A file that is opened before the sandbox. One byte is written, always the same: only the time of the change matters.
class WakeFile {
public:
    /// Makes the file (mode 0660) when it is missing; throws std::system_error when that fails.
    explicit WakeFile(const std::string& path);

    /// Notes that the program is to be woken, inside a transaction whose commit comes first.
    void request_wake() { is_requested_ = true; }
    /// Changes the file if that was requested. A failure does nothing: the program also looks by the clock.
    void wake_if_requested() noexcept;

private:
    Descriptor file_;
    bool is_requested_ = false;
};

}  // namespace postern::os
