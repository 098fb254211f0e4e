// Decides how a backup is made: complete, checked and synced before it gets its name.
#include "db/backup.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "db/sqlite/connection.h"
#include "db/sqlite/quick_check.h"
#include "os/held_signals.h"
#include "os/read_file.h"

namespace postern::db {
namespace {

[[noreturn]] void throw_unusable(const std::string& path, const std::string& meaning, const std::string& fix) {
    throw StoreUnusable(path + ": " + meaning + ": " + fix);
}

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

/// So that destructors remove the copy; then the signal ends the program.
void stop_if_asked(const os::HeldSignals& signals) {
    if (signals.arrived()) throw StoreError("a signal stopped the copy");
}

/// The copy under its temporary name; removed in the destructor.
class TemporaryCopy {
public:
    explicit TemporaryCopy(const std::string& target)
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
    TemporaryCopy(const TemporaryCopy&) = delete;
    TemporaryCopy& operator=(const TemporaryCopy&) = delete;
    ~TemporaryCopy() { remove_copy(path_); }

    const std::string& path() const { return path_; }
    const os::Descriptor& file() const { return file_; }

    /// Once SQLite has closed it.
    void finish(const os::HeldSignals& signals) const {
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

private:
    [[noreturn]] void throw_mode() const {
        const std::string reason = os::errno_text();
        ::unlink(path_.c_str());
        throw_unusable(target_, "cannot be made private (" + reason + ")",
                       "name a file on a file system that has modes");
    }

    std::string target_;
    std::string path_;
    os::Descriptor file_;
};

/// Starts the write-back of a file as it grows: one sync of gigabytes at its end would delay every commit. It does not
/// wait, because a slow disk must not keep the snapshot open; errors come from the sync at the end.
class WriteBack {
public:
    explicit WriteBack(const os::Descriptor& file) : file_(file) {}

    void go_on() {
        struct stat status {};
        if (::fstat(file_.get(), &status) != 0 || status.st_size - begun_ < kPortion) return;
#ifdef __linux__
        static_cast<void>(::sync_file_range(file_.get(), begun_, status.st_size - begun_, SYNC_FILE_RANGE_WRITE));
#endif
        begun_ = status.st_size;
    }

private:
    static constexpr off_t kPortion = 1 << 20;  // bytes
    const os::Descriptor& file_;
    off_t begun_ = 0;
};

/// A connection to the copy, which no other process opens.
class Copy {
public:
    Copy(const std::string& path, const os::HeldSignals& signals) : signals_(signals) {
        constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
        sqlite3* opened = nullptr;
        // Without locks and shared memory, which the file system of a backup may lack.
        const int result = sqlite3_open_v2(path.c_str(), &opened, kFlags, "unix-none");
        connection_.reset(opened);
        check(result, "open the copy");
        // It is synced once, at the end.
        constexpr const char* kSettings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF";
        check(sqlite3_exec(opened, kSettings, nullptr, nullptr, nullptr), "set up the copy");
        sqlite3_progress_handler(opened, kStepsBetweenLooks, has_arrived, this);
    }

    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    /// Within a snapshot of the source: without it, SQLite would restart after every commit of another process.
    void fill_from(sqlite3* source, WriteBack& write_back) {
        Backup backup(sqlite3_backup_init(connection_.get(), "main", source, "main"));
        if (!backup) throw_store_error(connection_.get(), sqlite3_errcode(connection_.get()), "begin the copy");
        int result = SQLITE_OK;
        while (result == SQLITE_OK) {
            result = sqlite3_backup_step(backup.get(), kPagesAStep);
            write_back.go_on();
            stop_if_asked(signals_);
        }
        const int finished = sqlite3_backup_finish(backup.release());
        if (result != SQLITE_DONE) throw_store_error(connection_.get(), result, "copy the database");
        check(finished, "finish the copy");
    }

    void check_pages() {
        const std::string fault = quick_check(connection_.get()).fault;
        stop_if_asked(signals_);  // it has interrupted the check
        if (!fault.empty()) throw StoreError("the copy is damaged, so the database probably is: " + fault);
    }

private:
    void check(int result, const char* doing) {
        if (result != SQLITE_OK) throw_store_error(connection_.get(), result, doing);
    }
    static int has_arrived(void* copy) { return static_cast<Copy*>(copy)->signals_.arrived() ? 1 : 0; }

    static constexpr int kPagesAStep = 64;
    static constexpr int kStepsBetweenLooks = 1000;  // of SQLite's virtual machine: less than a millisecond
    struct Finish {
        void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
    };
    using Backup = std::unique_ptr<sqlite3_backup, Finish>;
    struct Close {
        void operator()(sqlite3* connection) const { sqlite3_close(connection); }
    };
    const os::HeldSignals& signals_;
    std::unique_ptr<sqlite3, Close> connection_;
};

/// The snapshot ends before the copy is checked, because the WAL grows as long as it is open.
void copy_one_moment(Database& source, sqlite3* connection, Copy& copy, const TemporaryCopy& temporary) {
    const Snapshot snapshot(source);
    source.prepare("SELECT count(*) FROM sqlite_schema").step();  // takes the snapshot
    WriteBack write_back(temporary.file());
    copy.fill_from(connection, write_back);
}

}  // namespace

void back_up(Database& source, const std::string& target) {
    struct stat status {};
    if (::lstat(target.c_str(), &status) == 0) throw_exists(target);
    if (name_of(target).empty())
        throw_unusable(target.empty() ? "\"\"" : target, "is not the name of a file", "name a new file");
    // A hidden copy of all data would go unnoticed, so a signal that ends the program waits until the copy is removed.
    const os::HeldSignals signals;
    const TemporaryCopy temporary(target);
    try {
        Copy copy(temporary.path(), signals);
        copy_one_moment(source, sqlite_of(source).handle(), copy, temporary);
        copy.check_pages();
    } catch (const StoreBusy&) {
        throw;
    } catch (const StoreError& error) {
        throw StoreError(target + ": " + error.what());
    }
    temporary.finish(signals);
}

}  // namespace postern::db
