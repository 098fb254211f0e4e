// Wakes a program that waits for a file to change, from a process that can open nothing any more.
#pragma once

#include <string>

#include "os/file.h"

namespace postern::os {

/// Opened before the sandbox: what is written is one byte, always the same, and only the time of the change matters.
class WakeFile {
public:
    /// Makes the file (mode 0660) when it is missing; throws std::system_error when that fails.
    explicit WakeFile(const std::string& path);

    /// `tell` is to change the file: called inside a transaction, whose commit comes first.
    void ask() { is_asked_ = true; }
    /// Changes the file if it was asked to. A failure does nothing: the program also looks by the clock.
    void tell() noexcept;

private:
    Descriptor file_;
    bool is_asked_ = false;
};

}  // namespace postern::os
