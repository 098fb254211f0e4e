// A file on which this process can take no lock any more, as when the kernel has no memory for one.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace postern::test {

/// Puts a descriptor that flock(2) refuses (O_PATH) in the place of each that this process has open on `path`.
inline void refuse_locks(const std::string& path) {
    const int refusing = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    REQUIRE(refusing >= 0);
    int replaced = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        const int descriptor = std::stoi(entry.path().filename());
        std::error_code gone;  // the directory's own
        if (descriptor == refusing || std::filesystem::read_symlink(entry.path(), gone) != path) continue;
        REQUIRE(::dup3(refusing, descriptor, O_CLOEXEC) == descriptor);
        ++replaced;
    }
    ::close(refusing);
    REQUIRE(replaced > 0);
}

}  // namespace postern::test
