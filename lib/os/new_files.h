// What a command has made so far, so that a failure takes exactly that away again.
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

    /// `file` is open on what was just made at `path`.
    void add(std::string path, Descriptor file);
    /// What was just made at `path` and cannot be handed over open. Not there: nothing to remove.
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
