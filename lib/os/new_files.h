// The files that a command has made so far, so that a failure removes exactly those.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "os/file.h"

namespace postern::os {

/// Files and directories that are removed, the newest first, when this object ends without `keep`. Each is held open: a
/// name that another process has given to another file since is not removed, and no other file can get its inode. A
/// directory that has got something in it stays.
class NewFiles {
public:
    NewFiles() = default;
    NewFiles(const NewFiles&) = delete;
    NewFiles& operator=(const NewFiles&) = delete;
    ~NewFiles();

    /// Adds the file or directory that was just made at `path`; `file` is open on it.
    void add(std::string path, Descriptor file);
    /// Opens and adds what was just made at `path`. When nothing is there, nothing is removed.
    void add(std::string path);

    std::vector<std::string> paths() const;  ///< in the order in which they were made
    void keep() { files_.clear(); }

private:
    struct File {
        std::string path;
        Descriptor descriptor;
    };
    std::vector<File> files_;
};

}  // namespace postern::os
