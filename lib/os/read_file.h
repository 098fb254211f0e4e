// Reads regular files, up to a size.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "os/file.h"
#include "util/result.h"

namespace postern::os {

/// The treatment of a symbolic link at the end of a path. Links in the directories above are always followed.
enum class Links { refused, followed };

enum class FileFault {
    symbolic_link,  ///< with `Links::refused`
    not_opened,     ///< the error number says why
    not_regular,    ///< a directory, FIFO, socket or device
    too_long,
    changed,   ///< longer or shorter when it was read than when it was opened
    not_read,  ///< the error number says why
};

struct FileError {
    FileFault fault{};
    int number = 0;         ///< errno; 0 where no call failed
    std::size_t limit = 0;  ///< bytes that `too_long` means

    std::string reason() const;   ///< the text of the error number
    std::string meaning() const;  ///< what goes behind the file's name: "is not a regular file"
};

/// An open regular file, and its status when it was opened.
struct RegularFile {
    Descriptor descriptor;
    struct stat status {};
};

/// Opens a regular file with `access` (flags of open(2) for a file that exists). Never waits: a FIFO is refused.
util::Result<RegularFile, FileError> open_regular(const std::string& path, Links links, int access = O_RDONLY);

/// Reads a file that `open_regular` has just opened, of at most `limit` bytes. They are in one buffer that
/// was never copied, and it is wiped after a failure, because they may be a secret.
util::Result<std::string, FileError> read_whole(const RegularFile& file, std::size_t limit);

struct ReadLimits {
    std::size_t bytes = 0;
    Links links = Links::refused;
};

/// Opens and reads a file, as the two functions above.
util::Result<std::string, FileError> read_file(const std::string& path, const ReadLimits& limits);

/// The bytes of a regular file without reading them first: a page comes into memory when it is looked at. A file that
/// is cut while it is mapped ends the process that looks at a lost page, so a program that replaces such a file renames
/// a new one to its name.
class MappedFile {
public:
    /// Maps a file of at most `limit` bytes. Symbolic links are followed.
    static util::Result<MappedFile, FileError> open(const std::string& path, std::size_t limit);
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&&) = delete;
    ~MappedFile();

    std::string_view bytes() const { return {begin_, size_}; }

private:
    MappedFile(const char* begin, std::size_t size) : begin_(begin), size_(size) {}

    const char* begin_;
    std::size_t size_;
};

/// Returns the size in bytes of a regular file; nullopt for anything else.
std::optional<off_t> regular_size(int descriptor);

}  // namespace postern::os
