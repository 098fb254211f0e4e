// Decides which files are read, and how much of them.
#include "os/read_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "util/secret.h"

namespace postern::os {
namespace {

constexpr std::size_t kKibibyte = 1024;

std::string size_text(std::size_t bytes) {
    return bytes % kKibibyte == 0 ? std::to_string(bytes / kKibibyte) + " KiB" : std::to_string(bytes) + " bytes";
}

/// As much as fits into `bytes`, and the number of bytes that were read; nullopt when errno says why not.
std::optional<std::size_t> read_into(std::string& bytes, int descriptor, std::size_t expected) {
    std::size_t done = 0;
    while (done < expected) {
        const auto count = ::read(descriptor, bytes.data() + done, bytes.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    return done;
}

}  // namespace

std::string FileError::reason() const { return std::generic_category().message(number); }

std::string FileError::meaning() const {
    switch (fault) {
        case FileFault::symbolic_link:
            return "is a symbolic link";
        case FileFault::not_opened:
            return "cannot be opened (" + reason() + ")";
        case FileFault::not_regular:
            return "is not a regular file";
        case FileFault::too_long:
            return "is larger than " + size_text(limit);
        case FileFault::changed:
            return "changed while it was read";
        case FileFault::not_read:
            return "cannot be read (" + reason() + ")";
    }
    throw std::logic_error("file fault without a meaning");
}

util::Result<RegularFile, FileError> open_regular(const std::string& path, Links links, int access) {
    // O_NONBLOCK: a FIFO would wait for a writer, and some devices for a carrier.
    const int flags = access | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (links == Links::refused ? O_NOFOLLOW : 0);
    RegularFile file{Descriptor(::open(path.c_str(), flags)), {}};
    if (!file.descriptor && errno == ELOOP && links == Links::refused) return FileError{FileFault::symbolic_link};
    if (!file.descriptor || ::fstat(file.descriptor.get(), &file.status) != 0)
        return FileError{FileFault::not_opened, errno};
    if (!S_ISREG(file.status.st_mode)) return FileError{FileFault::not_regular};
    return file;
}

util::Result<std::string, FileError> read_whole(const RegularFile& file, std::size_t limit) {
    const auto expected = static_cast<std::size_t>(file.status.st_size);
    if (expected > limit) return FileError{FileFault::too_long, 0, limit};
    std::string bytes(expected + 1, '\0');  // room for one byte more, which shows that the file grows
    const auto done = read_into(bytes, file.descriptor.get(), expected);
    if (done == expected) {
        bytes.resize(expected);
        return bytes;
    }
    const FileError error = done ? FileError{FileFault::changed} : FileError{FileFault::not_read, errno};
    util::wipe(bytes);
    return error;
}

util::Result<std::string, FileError> read_file(const std::string& path, const ReadLimits& limits) {
    ASSIGN_OR_RETURN(const auto file, open_regular(path, limits.links));
    return read_whole(file, limits.bytes);
}

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

std::optional<off_t> regular_size(int descriptor) {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
    return status.st_size;
}

}  // namespace postern::os
