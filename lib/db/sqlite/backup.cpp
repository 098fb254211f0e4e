// Decides how a backup is made: complete, checked and synced before it gets its name.
#include "db/maintenance.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <string>

#include "db/copy_rows.h"
#include "db/sqlite/connection.h"
#include "db/sqlite/new_file.h"
#include "db/sqlite/temporary_copy.h"

namespace postern::db {
namespace {

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

template <class Action>
void name_in_errors(const std::string& target, Action action) {
    try {
        action();
    } catch (const StoreBusy&) {
        throw;
    } catch (const StoreError& error) {
        throw StoreError(target + ": " + error.what());
    }
}

void back_up_file(Database& source, const std::string& target, const os::HeldSignals& signals) {
    const TemporaryCopy temporary(target);
    name_in_errors(target, [&] {
        Copy copy(temporary.path(), signals);
        copy_one_moment(source, sqlite_of(source).handle(), copy, temporary);
        copy.check_pages();
    });
    temporary.finish(signals);
}

void back_up_server(Database& source, const std::string& target, const os::HeldSignals& signals) {
    NewFile file(target, NewFile::For::backup, signals);
    name_in_errors(target, [&] {
        {
            const Snapshot snapshot(source);
            copy_rows(source.connection(), file.connection(), std::nullopt, [&] { stop_if_asked(signals); });
        }
        file.complete();
    });
    file.keep();
}

}  // namespace

void back_up(Database& source, const std::string& target) {
    check_new_name(target);
    // A hidden copy of all data would go unnoticed, so a signal that ends the program waits until the copy is removed.
    const os::HeldSignals signals;
    (source.has_row_locks() ? back_up_server : back_up_file)(source, target, signals);
}

}  // namespace postern::db
