// The bytes of a file without reading them first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "os/read_file.h"
#include "util/result.h"

namespace postern::os {

/// A regular file as it was when it was opened: its pages come into memory when they are looked at. A file that is cut
/// while it is mapped ends the process that looks at what is gone, so a program that replaces such a file renames a new
/// one to its name.
class MappedFile {
public:
    /// `limit` in bytes. Symbolic links are followed.
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

}  // namespace postern::os
