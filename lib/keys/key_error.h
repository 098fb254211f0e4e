// The error of a file of the key directory, and which content of a file was read.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <stdexcept>

namespace postern::keys {

/// A missing, unreadable, malformed or badly protected file; the message names the file and the fix.
struct KeyError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The version of the content of a file that was read: another one after each change.
struct FileVersion {
    dev_t device{};
    ino_t inode{};
    off_t size{};
    std::int64_t seconds{};  ///< of the last change
    std::int64_t nanoseconds{};

    bool operator==(const FileVersion&) const = default;
};

}  // namespace postern::keys
