// How many passwords may be hashed at the same time on this machine?
#include "os/hash_slots.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace postern::os {
namespace {

// A hash takes some tens of milliseconds, so polling this often wastes neither time nor processor.
constexpr std::chrono::milliseconds kLookAgain{5};

std::string path_of(const std::string& files, int slot) { return files + ".hash" + std::to_string(slot); }

Descriptor open_slot(const std::string& path) {
    Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0660));
    if (!file) throw std::system_error(errno, std::generic_category(), "hash slot " + path);
    return file;
}

}  // namespace

std::vector<std::string> HashSlot::make_files(const std::string& files, int slots) {
    std::vector<std::string> paths;
    for (int slot = 0; slot < slots; ++slot) {
        paths.push_back(path_of(files, slot));
        open_slot(paths.back());
    }
    return paths;
}

std::optional<HashSlot> HashSlot::acquire(const std::string& files, int slots, std::chrono::milliseconds wait) {
    if (files.empty()) return HashSlot(Descriptor());
    const auto deadline = std::chrono::steady_clock::now() + wait;
    while (true) {
        for (int slot = 0; slot < slots; ++slot) {
            Descriptor file = open_slot(path_of(files, slot));
            if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return HashSlot(std::move(file));
        }
        if (std::chrono::steady_clock::now() >= deadline) return std::nullopt;
        std::this_thread::sleep_for(kLookAgain);
    }
}

}  // namespace postern::os
