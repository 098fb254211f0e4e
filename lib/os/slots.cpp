// How many processes of this machine may do this at the same time?
#include "os/slots.h"

#include <fcntl.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "os/file_lock.h"

namespace postern::os {
namespace {

// A hash takes some tens of milliseconds, so polling this often wastes neither time nor processor.
constexpr std::chrono::milliseconds kLongestPause{5};

std::string path_of(const std::string& files, int slot) { return files + std::to_string(slot); }

Descriptor open_slot(const std::string& path) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0660));
    if (!file) throw std::system_error(errno, std::generic_category(), "slot " + path);
    return file;
}

}  // namespace

std::vector<std::string> Slot::make_files(const std::string& files, int slots) {
    std::vector<std::string> paths;
    for (int slot = 0; slot < slots; ++slot) {
        paths.push_back(path_of(files, slot));
        open_slot(paths.back());
    }
    return paths;
}

std::optional<Slot> Slot::acquire(const std::string& files, int slots, std::chrono::milliseconds wait,
                                  const GivesUp& gives_up) {
    if (files.empty()) return Slot(Descriptor());
    std::optional<Slot> free;
    poll_until(std::chrono::steady_clock::now() + wait, kLongestPause, [&] {
        for (int slot = slots; slot-- > 0 && !free;) {
            Descriptor file = open_slot(path_of(files, slot));
            if (try_lock(file.get())) free = Slot(std::move(file));
        }
        return free || (gives_up && gives_up());
    });
    return free;
}

}  // namespace postern::os
