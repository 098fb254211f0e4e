#include "os/mapped_file.h"

#include <sys/mman.h>

#include <cerrno>
#include <utility>

namespace postern::os {

util::Result<MappedFile, FileError> MappedFile::open(const std::string& path, std::size_t limit) {
    auto file = open_regular(path, Links::followed);
    if (!file) return file.error();
    const auto size = static_cast<std::size_t>(file->status.st_size);
    if (size > limit) return FileError{FileFault::too_long, 0, limit};
    if (size == 0) return MappedFile(nullptr, 0);
    void* begin = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file->descriptor.get(), 0);
    if (begin == MAP_FAILED) return FileError{FileFault::not_read, errno, 0};
    return MappedFile(static_cast<const char*>(begin), size);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : begin_(std::exchange(other.begin_, nullptr)), size_(std::exchange(other.size_, 0)) {}

MappedFile::~MappedFile() {
    // munmap takes what mmap gave; the pages were never written.
    if (begin_ != nullptr) ::munmap(const_cast<char*>(begin_), size_);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

}  // namespace postern::os
