// A copy of the database under a temporary name, which gets its own name when it is complete. Private to this module.
#pragma once

#include <string>

#include "os/file.h"
#include "os/held_signals.h"

namespace postern::db {

/// Throws StoreUnusable when there is something at `target`, and when it is not the name of a file.
void check_new_name(const std::string& target);

/// Throws StoreError when a signal has arrived, so that destructors remove the copy; then it ends the program.
void stop_if_asked(const os::HeldSignals& signals);

/// A file that the destructor removes. The constructor removes what killed processes left in the same directory.
class TemporaryCopy {
public:
    /// Makes an empty file that only its owner can read. Throws StoreUnusable when it cannot be made.
    explicit TemporaryCopy(const std::string& target);
    TemporaryCopy(const TemporaryCopy&) = delete;
    TemporaryCopy& operator=(const TemporaryCopy&) = delete;
    ~TemporaryCopy();

    const std::string& path() const { return path_; }
    const os::Descriptor& file() const { return file_; }

    /// Syncs the copy, which SQLite has closed, and gives it its own name. Throws StoreUnusable when the name is taken,
    /// StoreError for other failures.
    void finish(const os::HeldSignals& signals) const;

private:
    [[noreturn]] void throw_mode() const;

    std::string target_;
    std::string path_;
    os::Descriptor file_;
};

}  // namespace postern::db
