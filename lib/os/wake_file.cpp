// Wakes a program that waits for a file to change.
#include "os/wake_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace postern::os {

WakeFile::WakeFile(const std::string& path) : file_(open_or_make(path, 0660)) {
    if (!file_) throw std::system_error(errno, std::generic_category(), path);
}

void WakeFile::wake_if_requested() noexcept {
    if (!is_requested_) return;
    is_requested_ = false;
    const ssize_t written = ::pwrite(file_.get(), "\n", 1, 0);
    static_cast<void>(written);
}

}  // namespace postern::os
