// Writes sorted runs and merges them.
#include "cli/passwords/entry_sorter.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <queue>
#include <span>
#include <utility>

#include "cli/command.h"

namespace postern::cli {
namespace {

using factor::PasswordEntry;

constexpr std::size_t kBuffered = 1024;  // entries of each run

[[noreturn]] void refuse(const std::string& directory, const char* what) {
    throw Refused("a temporary file in " + directory + " cannot be " + what + " (" + os::errno_text() +
                  "): put the list on a disk with free space");
}

/// Without a name: nothing is left of it when the process ends, in whatever way.
os::Descriptor make_nameless(const std::string& directory) {
    const std::string path = directory + "/.postern-passwords." + std::to_string(::getpid());
    ::unlink(path.c_str());  // of a run that was killed
    os::Descriptor file = os::make_file(path, 0600);
    if (!file) refuse(directory, "made");
    ::unlink(path.c_str());
    return file;
}

/// Reads one run of the file from the front.
class Run {
public:
    Run(int file, std::size_t first, std::size_t length, const std::string& directory)
        : file_(file), at_(first), end_(first + length), directory_(&directory) {}

    /// nullopt at its end.
    std::optional<PasswordEntry> next() {
        if (taken_ == buffer_.size() && !fill()) return std::nullopt;
        return buffer_[taken_++];
    }

private:
    bool fill() {
        buffer_.resize(std::min(kBuffered, end_ - at_));
        taken_ = 0;
        auto bytes = std::as_writable_bytes(std::span(buffer_));
        auto offset = static_cast<off_t>(at_ * sizeof(PasswordEntry));
        while (!bytes.empty()) {
            const ssize_t count = ::pread(file_, bytes.data(), bytes.size(), offset);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) refuse(*directory_, "read");
            bytes = bytes.subspan(static_cast<std::size_t>(count));
            offset += count;
        }
        at_ += buffer_.size();
        return !buffer_.empty();
    }

    int file_;
    std::size_t at_;
    std::size_t end_;
    std::vector<PasswordEntry> buffer_;
    std::size_t taken_ = 0;
    const std::string* directory_;
};

}  // namespace

EntrySorter::EntrySorter(std::string directory, std::size_t in_memory)
    : directory_(std::move(directory)), in_memory_(in_memory) {}

void EntrySorter::add(PasswordEntry entry) {
    latest_.push_back(entry);
    if (latest_.size() == in_memory_) write_run();
}

void EntrySorter::write_run() {
    std::ranges::sort(latest_);
    if (!runs_) runs_ = make_nameless(directory_);
    auto bytes = std::as_bytes(std::span(latest_));
    while (!bytes.empty()) {
        const ssize_t count = ::write(runs_.get(), bytes.data(), bytes.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) refuse(directory_, "written");
        bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    lengths_.push_back(latest_.size());
    latest_.clear();
}

void EntrySorter::each(const std::function<void(PasswordEntry)>& visit) {
    if (!latest_.empty()) write_run();
    std::vector<Run> runs;
    std::size_t first = 0;
    for (const std::size_t length : lengths_) {
        runs.emplace_back(runs_.get(), first, length, directory_);
        first += length;
    }
    using Head = std::pair<PasswordEntry, std::size_t>;  // and the run that it is the first of
    std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
    const auto push = [&](std::size_t run) {
        if (const auto entry = runs[run].next()) heads.emplace(*entry, run);
    };
    for (std::size_t run = 0; run < runs.size(); ++run) push(run);
    std::optional<PasswordEntry> before;
    while (!heads.empty()) {
        const auto [entry, run] = heads.top();
        heads.pop();
        if (entry != before) visit(entry);
        before = entry;
        push(run);
    }
}

}  // namespace postern::cli
