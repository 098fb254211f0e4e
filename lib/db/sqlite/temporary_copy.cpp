// Decides where a copy is until it is complete, and how it gets its name without replacing a file.
#include "db/sqlite/temporary_copy.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>

#include "db/error.h"
#include "db/sqlite/connection.h"
#include "os/read_file.h"

namespace postern::db {
namespace {

[[noreturn]] void throw_exists(const std::string& path) {
    throw_unusable(path, "exists already", "name a new file; nothing is ever replaced");
}

// The temporary name: the target's name, this, the process id, the suffix.
constexpr const char* kMark = ".postern-";
constexpr const char* kSuffix = ".part";

/// Side files that SQLite may make.
constexpr const char* kSideFiles[] = {"-journal", "-wal", "-shm"};

/// ".today.db.postern-4711.part"
bool is_of_a_copy(const std::string& name) {
    const auto mark = name.rfind(kMark);
    if (!name.starts_with('.') || mark == std::string::npos) return false;
    const auto digits = mark + std::char_traits<char>::length(kMark);
    const auto end = name.find_first_not_of("0123456789", digits);
    if (end == digits || end == std::string::npos) return false;
    return name.substr(end) == kSuffix;
}

/// The copy last, because its lock protects the side files.
void remove_copy(const std::string& path) {
    for (const char* suffix : kSideFiles) ::unlink((path + suffix).c_str());
    ::unlink(path.c_str());
}

/// Removes the temporary files of killed backups. A running one holds a lock on its file; on a file system without
/// locks nothing is removed.
void remove_leftovers(const std::string& directory) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        if (!is_of_a_copy(at->path().filename())) continue;
        const auto file = os::open_regular(at->path(), os::Links::refused, O_RDWR);
        if (!file || ::flock(file->descriptor.get(), LOCK_EX | LOCK_NB) != 0) continue;
        if (os::is_at(at->path(), file->descriptor)) remove_copy(at->path());
    }
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

void check_new_name(const std::string& target) {
    struct stat status {};
    if (::lstat(target.c_str(), &status) == 0) throw_exists(target);
    if (name_of(target).empty())
        throw_unusable(target.empty() ? "\"\"" : target, "is not the name of a file", "name a new file");
}

void stop_if_asked(const os::HeldSignals& signals) {
    if (signals.arrived()) throw StoreError("a signal stopped the copy");
}

TemporaryCopy::TemporaryCopy(const std::string& target)
    : target_(target),
      path_(os::directory_of(target) + "/." + name_of(target) + kMark + std::to_string(::getpid()) + kSuffix) {
    remove_leftovers(os::directory_of(target));
    // Not by make_file: the copy belongs to the user who runs the command, whatever the directory's owner.
    do {
        file_ = os::Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
        if (!file_)
            throw_unusable(target, "cannot be made (" + os::errno_text() + ")",
                           "name a file in a directory you can write to");
        ::flock(file_.get(), LOCK_EX);  // until the process ends
    } while (!is_at(path_, file_));     // another backup removed it as a leftover before it was locked
    if (::fchmod(file_.get(), 0600) != 0) throw_mode();
}

TemporaryCopy::~TemporaryCopy() { remove_copy(path_); }

void TemporaryCopy::finish(const os::HeldSignals& signals) const {
    if (::fsync(file_.get()) != 0) throw StoreError(path_ + ": cannot be synced: " + os::errno_text());
    stop_if_asked(signals);
    // link instead of rename, because it never replaces a file. Some file systems have no hard links.
    if (::link(path_.c_str(), target_.c_str()) != 0) {
        if (errno == EEXIST) throw_exists(target_);
        if (::rename(path_.c_str(), target_.c_str()) != 0)
            throw StoreError(target_ + ": cannot be made: " + os::errno_text());
    }
    if (!os::sync_directory(os::directory_of(target_))) {
        const std::string reason = os::errno_text();
        ::unlink(target_.c_str());
        throw StoreError(target_ + ": its directory cannot be synced: " + reason);
    }
}

void TemporaryCopy::throw_mode() const {
    const std::string reason = os::errno_text();
    ::unlink(path_.c_str());
    throw_unusable(target_, "cannot be made private (" + reason + ")", "name a file on a file system that has modes");
}

}  // namespace postern::db
