// Decides what may be removed after a failure.
#include "os/new_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace postern::os {

NewFiles::~NewFiles() {
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
        if (is_at(file->path, file->descriptor)) std::remove(file->path.c_str());
    }
}

void NewFiles::add(std::string path, Descriptor file) { files_.push_back({std::move(path), std::move(file)}); }

// O_PATH: closing any other descriptor of a database would drop the locks that this process has on it (fcntl(2)).
void NewFiles::add(std::string path) {
    Descriptor file(::open(path.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (file) add(std::move(path), std::move(file));
}

std::vector<std::string> NewFiles::paths() const {
    std::vector<std::string> paths;
    for (const File& file : files_) paths.push_back(file.path);
    return paths;
}

}  // namespace postern::os
