// Decides how a copy of the database comes about: whole, checked and on the disk before it has its name.
#include "db/backup.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "db/sqlite/connection.h"
#include "db/sqlite/quick_check.h"

namespace postern::db {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& meaning, const std::string& fix) {
    throw StoreUnusable(path + ": " + meaning + ": " + fix);
}

[[noreturn]] void refuse_existing(const std::string& path) {
    refuse(path, "exists already", "name a new file; nothing is ever replaced");
}

// Behind the name and the number of the process that makes the copy.
constexpr const char* kMark = ".postern-";
constexpr const char* kSuffix = ".part";

/// What SQLite may make beside it.
constexpr const char* kBeside[] = {"-journal", "-wal", "-shm"};

/// ".today.db.postern-4711.part"
bool is_of_a_copy(const std::string& name) {
    const auto mark = name.rfind(kMark);
    if (!name.starts_with('.') || mark == std::string::npos) return false;
    const auto digits = mark + std::char_traits<char>::length(kMark);
    const auto end = name.find_first_not_of("0123456789", digits);
    if (end == digits || end == std::string::npos) return false;
    return name.substr(end) == kSuffix;
}

/// The copy last: as long as it is there, its lock says whose the others are.
void remove_copy(const std::string& path) {
    for (const char* suffix : kBeside) ::unlink((path + suffix).c_str());
    ::unlink(path.c_str());
}

/// Of commands that were killed. One that still works holds a lock on its file, and a file system that has no locks
/// says so: then nothing is removed.
void remove_leftovers(const std::string& directory) {
    std::error_code error;
    for (std::filesystem::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
        if (!is_of_a_copy(at->path().filename())) continue;
        const os::Descriptor file(::open(at->path().c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
        if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 && os::is_at(at->path(), file)) remove_copy(at->path());
    }
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// What is taken away when a signal ends the program: nobody would look for a hidden copy of everything.
std::array<std::string, 4> files_under_way;

extern "C" void end_without_copy(int number) {
    for (const std::string& file : files_under_way) ::unlink(file.c_str());
    ::raise(number);  // once more, and without this handler: SA_RESETHAND
}

/// While it lives, Ctrl-C and its like leave none of these files.
class GoneOnSignal {
public:
    explicit GoneOnSignal(const std::string& path) {
        files_under_way = {path + "-journal", path + "-wal", path + "-shm", path};  // as remove_copy
        for (std::size_t i = 0; i < kSignals.size(); ++i) {
            ::sigaction(kSignals[i], nullptr, &former_[i]);
            if (former_[i].sa_handler == SIG_IGN) continue;  // nohup
            struct sigaction action {};
            action.sa_handler = end_without_copy;
            action.sa_flags = static_cast<int>(SA_RESETHAND);
            ::sigaction(kSignals[i], &action, nullptr);
        }
    }
    GoneOnSignal(const GoneOnSignal&) = delete;
    GoneOnSignal& operator=(const GoneOnSignal&) = delete;
    ~GoneOnSignal() {
        for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &former_[i], nullptr);
    }

private:
    static constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    std::array<struct sigaction, kSignals.size()> former_{};
};

/// The copy while it is being made, under a name of this process alone. Gone unless it was given its name.
class Unfinished {
public:
    explicit Unfinished(const std::string& target)
        : target_(target),
          path_(os::directory_of(target) + "/." + name_of(target) + kMark + std::to_string(::getpid()) + kSuffix),
          gone_on_signal_(path_) {
        remove_leftovers(os::directory_of(target));
        // Not by make_file: a copy belongs to whoever asked for it, whoever's directory it is put in.
        do {
            file_ = os::Descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
            if (!file_)
                refuse(target, "cannot be made (" + os::errno_text() + ")", "name a file in a directory you can write to");
            ::flock(file_.get(), LOCK_EX);  // until it ends, however it ends
        } while (!is_at(path_, file_));  // another took it for a leftover before it was locked
        if (::fchmod(file_.get(), 0600) != 0) refuse_mode();
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;
    ~Unfinished() { remove(); }

    const std::string& path() const { return path_; }
    const os::Descriptor& file() const { return file_; }

    /// Once SQLite has closed it.
    void finish() const {
        if (::fsync(file_.get()) != 0) throw StoreError(path_ + ": cannot be synced: " + os::errno_text());
        // link, not rename: it never replaces what has come there meanwhile. Some file systems have no links.
        if (::link(path_.c_str(), target_.c_str()) != 0) {
            if (errno == EEXIST) refuse_existing(target_);
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
    void remove() const { remove_copy(path_); }
    [[noreturn]] void refuse_mode() const {
        const std::string reason = os::errno_text();
        ::unlink(path_.c_str());
        refuse(target_, "cannot be made private (" + reason + ")", "name a file on a file system that has modes");
    }

    std::string target_;
    std::string path_;
    GoneOnSignal gone_on_signal_;
    os::Descriptor file_;
};

/// Has a file go to the disk as it grows: who commits meanwhile would wait for a sync of gigabytes at its end. Only
/// begins that, since a disk that hangs must not hold the snapshot open; whether it went well is what the sync at the
/// end says.
class WrittenOut {
public:
    explicit WrittenOut(const os::Descriptor& file) : file_(file) {}

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

/// A connection to the copy, which nobody else knows.
class Copy {
public:
    explicit Copy(const std::string& path) {
        constexpr int kFlags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
        sqlite3* opened = nullptr;
        // Without locks and shared memory, which the disk of a backup may not have.
        const int result = sqlite3_open_v2(path.c_str(), &opened, kFlags, "unix-none");
        connection_.reset(opened);
        check(result, "open the copy");
        // It is synced when it is whole.
        constexpr const char* kSettings = "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF";
        check(sqlite3_exec(opened, kSettings, nullptr, nullptr, nullptr), "set up the copy");
    }

    /// In a snapshot of the source: without it, every commit of another process between two steps would make SQLite
    /// begin anew.
    void fill_from(sqlite3* source, WrittenOut& written_out) {
        Backup backup(sqlite3_backup_init(connection_.get(), "main", source, "main"));
        if (!backup) throw_store_error(connection_.get(), sqlite3_errcode(connection_.get()), "begin the copy");
        int result = SQLITE_OK;
        while (result == SQLITE_OK) {
            result = sqlite3_backup_step(backup.get(), kPagesAStep);
            written_out.go_on();
        }
        const int finished = sqlite3_backup_finish(backup.release());
        if (result != SQLITE_DONE) throw_store_error(connection_.get(), result, "copy the database");
        check(finished, "finish the copy");
    }

    void check_pages() {
        const std::string fault = quick_check(connection_.get()).fault;
        if (!fault.empty()) throw StoreError("the copy is damaged, so the database probably is: " + fault);
    }

private:
    void check(int result, const char* doing) {
        if (result != SQLITE_OK) throw_store_error(connection_.get(), result, doing);
    }
    static constexpr int kPagesAStep = 64;
    struct Finish {
        void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
    };
    using Backup = std::unique_ptr<sqlite3_backup, Finish>;
    struct Close {
        void operator()(sqlite3* connection) const { sqlite3_close(connection); }
    };
    std::unique_ptr<sqlite3, Close> connection_;
};

/// The log grows as long as somebody reads what was: not while the copy is checked.
void copy_one_moment(Database& source, sqlite3* connection, Copy& copy, const Unfinished& unfinished) {
    const Snapshot snapshot(source);
    source.prepare("SELECT count(*) FROM sqlite_schema").step();  // the moment
    WrittenOut written_out(unfinished.file());
    copy.fill_from(connection, written_out);
}

}  // namespace

void back_up(Database& source, const std::string& target) {
    struct stat status {};
    if (::lstat(target.c_str(), &status) == 0) refuse_existing(target);
    if (name_of(target).empty())
        refuse(target.empty() ? "\"\"" : target, "is not the name of a file", "name a new file");
    const Unfinished unfinished(target);
    try {
        Copy copy(unfinished.path());
        copy_one_moment(source, source.state_->connection, copy, unfinished);
        copy.check_pages();
    } catch (const StoreBusy&) {
        throw;
    } catch (const StoreError& error) {
        throw StoreError(target + ": " + error.what());
    }
    unfinished.finish();
}

}  // namespace postern::db
