// Decides how many writes a commit is: one, where SQLite makes two for each page.
#include "db/sqlite/wal_writes.h"

#include <cstring>
#include <memory>
#include <new>
#include <utility>

namespace postern::db {
namespace {

// A frame of the log is a header and a page (SQLite, fileformat2.html §4.1).
constexpr int kHeader = 24;
constexpr int kPage = 4096;
constexpr int kFrame = kHeader + kPage;
constexpr int kCapacity = 16 * kFrame;

/// What SQLite gets for a log: ours, and behind it in the same memory the file that writes.
struct JoiningFile {
    sqlite3_file base{};
    sqlite3_file* real = nullptr;
    bool joins = false;
    bool ends_transaction = false;  ///< the frame that was held back last
    int size = 0;                   ///< of what is held
    sqlite3_int64 offset = 0;       ///< where that belongs
    std::unique_ptr<char[]> held = {};
};

JoiningFile& self(sqlite3_file* file) { return *reinterpret_cast<JoiningFile*>(file); }

/// Never a second time: what failed here is reported here, and gone.
int write_held(JoiningFile& wal) {
    const int size = std::exchange(wal.size, 0);
    return size == 0 ? SQLITE_OK : wal.real->pMethods->xWrite(wal.real, wal.held.get(), size, wal.offset);
}

/// A header says how large the database is after the transaction that its frame ends, 0 for all others.
bool has_end_mark(const void* header) {
    constexpr char kNone[4] = {};
    return std::memcmp(static_cast<const char*>(header) + 4, kNone, sizeof kNone) != 0;
}

/// Headers and pages by turns, each behind the one before. A header with the mark is not held alone: when SQLite renews
/// headers of frames that are in the file already, no page comes after the last one.
bool can_wait(const JoiningFile& wal, const void* bytes, int count, sqlite3_int64 offset) {
    if (wal.size == 0) return count == kHeader && !has_end_mark(bytes);
    return offset == wal.offset + wal.size && count == (wal.size % kFrame == 0 ? kHeader : kPage);
}

int write_log(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    JoiningFile& wal = self(file);
    if (wal.size > 0 && !can_wait(wal, bytes, count, offset)) {
        if (const int result = write_held(wal)) return result;
    }
    if (!wal.joins || !can_wait(wal, bytes, count, offset)) {
        return wal.real->pMethods->xWrite(wal.real, bytes, count, offset);
    }
    if (wal.size == 0) wal.offset = offset;
    if (count == kHeader) wal.ends_transaction = has_end_mark(bytes);
    std::memcpy(wal.held.get() + wal.size, bytes, static_cast<std::size_t>(count));
    wal.size += count;
    const bool is_whole = wal.size % kFrame == 0;
    // The end of a transaction is in the file before SQLite goes on: then it tells everybody that it is there.
    return is_whole && (wal.ends_transaction || wal.size == kCapacity) ? write_held(wal) : SQLITE_OK;
}

// Everything else finds the file as if nothing had been held back.
template <class Action>
int when_written(sqlite3_file* file, Action action) {
    JoiningFile& wal = self(file);
    const int result = write_held(wal);
    return result == SQLITE_OK ? action(wal.real) : result;
}

int read_log(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
    return when_written(file, [&](sqlite3_file* real) { return real->pMethods->xRead(real, bytes, count, offset); });
}
int truncate_log(sqlite3_file* file, sqlite3_int64 size) {
    return when_written(file, [&](sqlite3_file* real) { return real->pMethods->xTruncate(real, size); });
}
int sync_log(sqlite3_file* file, int flags) {
    return when_written(file, [&](sqlite3_file* real) { return real->pMethods->xSync(real, flags); });
}
int size_of_log(sqlite3_file* file, sqlite3_int64* size) {
    return when_written(file, [&](sqlite3_file* real) { return real->pMethods->xFileSize(real, size); });
}
int control_log(sqlite3_file* file, int what, void* argument) {
    return when_written(file, [&](sqlite3_file* real) { return real->pMethods->xFileControl(real, what, argument); });
}

int close_log(sqlite3_file* file) {
    JoiningFile& wal = self(file);
    const int written = write_held(wal);
    const int closed = wal.real->pMethods->xClose(wal.real);
    std::destroy_at(&wal);
    return written == SQLITE_OK ? closed : written;
}

sqlite3_file* real(sqlite3_file* file) { return self(file).real; }
int lock_log(sqlite3_file* file, int level) { return real(file)->pMethods->xLock(real(file), level); }
int unlock_log(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int check_lock(sqlite3_file* file, int* held) { return real(file)->pMethods->xCheckReservedLock(real(file), held); }
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

// Version 1: shared memory and mappings are the database file's.
constexpr sqlite3_io_methods kMethods = {1,           close_log,   read_log,        write_log,  truncate_log,
                                         sync_log,    size_of_log, lock_log,        unlock_log, check_lock,
                                         control_log, sector_size, characteristics, nullptr,    nullptr,
                                         nullptr,     nullptr,     nullptr,         nullptr};

/// A copy of the default one, so that all of its methods but xOpen are the default's own.
struct Vfs {
    sqlite3_vfs base;
    sqlite3_vfs* real;
};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* got) {
    sqlite3_vfs* behind = reinterpret_cast<Vfs*>(vfs)->real;
    if ((flags & SQLITE_OPEN_WAL) == 0) return behind->xOpen(behind, name, file, flags, got);
    auto* wal = new (file) JoiningFile;
    wal->real = reinterpret_cast<sqlite3_file*>(wal + 1);
    wal->real->pMethods = nullptr;
    const int result = behind->xOpen(behind, name, wal->real, flags, got);
    if (wal->real->pMethods) wal->base.pMethods = &kMethods;  // else SQLite does not close it
    return result;
}

}  // namespace

const char* joining_vfs() {
    static Vfs vfs{};  // never destroyed: SQLite may close files when the program ends
    static const char* const name = [] {
        vfs.real = sqlite3_vfs_find(nullptr);
        if (!vfs.real) return static_cast<const char*>(nullptr);
        vfs.base = *vfs.real;
        vfs.base.zName = "postern";
        vfs.base.xOpen = open_file;
        vfs.base.szOsFile += static_cast<int>(sizeof(JoiningFile));
        return sqlite3_vfs_register(&vfs.base, 0) == SQLITE_OK ? vfs.base.zName : nullptr;
    }();
    return name;
}

sqlite3_file* wal_of(sqlite3* connection) {
    sqlite3_file* file = nullptr;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) != SQLITE_OK) return nullptr;
    return file && file->pMethods ? file : nullptr;
}

JoinedWrites::JoinedWrites(sqlite3* connection) : file_(wal_of(connection)) {
    if (!file_ || file_->pMethods != &kMethods) {
        file_ = nullptr;
        return;
    }
    JoiningFile& wal = self(file_);
    if (!wal.held) wal.held.reset(new (std::nothrow) char[kCapacity]);
    wal.joins = wal.held != nullptr;  // without the memory it is as many writes as SQLite makes
}

JoinedWrites::~JoinedWrites() {
    if (!file_) return;
    JoiningFile& wal = self(file_);
    wal.joins = false;
    wal.size = 0;
}

}  // namespace postern::db
