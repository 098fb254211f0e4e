// A VFS that does what the one behind it does, unless it was told otherwise.
#include "faults/disk.h"

#include <sqlite3.h>

#include <cstring>
#include <stdexcept>

namespace postern::test {
namespace {

/// What SQLite gets for a file: ours, and behind it in the same memory the real one.
struct File {
    sqlite3_file base;
    sqlite3_file* real;
    const char* name;  ///< SQLite's own, which lives as long as the file is open
};

File* self(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
sqlite3_file* real(sqlite3_file* file) { return self(file)->real; }
Disk& disk() { return Disk::instance(); }

void tell(sqlite3_file* file, DiskEvent::What what, std::int64_t offset = 0, std::string bytes = {}) {
    if (self(file)->name) disk().tell({what, self(file)->name, offset, std::move(bytes)});
}

int close_file(sqlite3_file* file) {
    return real(file)->pMethods ? real(file)->pMethods->xClose(real(file)) : SQLITE_OK;
}

int read_file(sqlite3_file* file, void* bytes, int count, sqlite3_int64 offset) {
    const int refused = disk().ask(Step::read);
    if (refused == SQLITE_OK) return real(file)->pMethods->xRead(real(file), bytes, count, offset);
    if (disk().halves()) {
        real(file)->pMethods->xRead(real(file), bytes, count / 2, offset);
        std::memset(static_cast<char*>(bytes) + count / 2, 0, static_cast<std::size_t>(count - count / 2));
    }
    return refused;
}

int write_file(sqlite3_file* file, const void* bytes, int count, sqlite3_int64 offset) {
    const int refused = disk().ask(Step::write);
    const int written = refused == SQLITE_OK ? count : disk().halves() ? count / 2 : 0;
    if (written > 0) {
        const int result = real(file)->pMethods->xWrite(real(file), bytes, written, offset);
        if (result != SQLITE_OK) return result;
        tell(file, DiskEvent::What::written, offset,
             std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(written)));
    }
    return refused;
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
    if (const int refused = disk().ask(Step::truncate)) return refused;
    const int result = real(file)->pMethods->xTruncate(real(file), size);
    if (result == SQLITE_OK) tell(file, DiskEvent::What::truncated, size);
    return result;
}

int sync_file(sqlite3_file* file, int) {
    if (const int refused = disk().ask(Step::sync)) {
        tell(file, DiskEvent::What::lost);
        return refused;
    }
    tell(file, DiskEvent::What::synced);
    if (self(file)->name) disk().be_slow(self(file)->name);
    return SQLITE_OK;
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
    if (const int refused = disk().ask(Step::size)) return refused;
    return real(file)->pMethods->xFileSize(real(file), size);
}

int lock_file(sqlite3_file* file, int level) {
    if (const int refused = disk().ask(Step::lock)) return refused;
    return real(file)->pMethods->xLock(real(file), level);
}

int unlock_file(sqlite3_file* file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }
int check_lock(sqlite3_file* file, int* held) { return real(file)->pMethods->xCheckReservedLock(real(file), held); }
int control_file(sqlite3_file* file, int what, void* argument) {
    return real(file)->pMethods->xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) { return real(file)->pMethods->xSectorSize(real(file)); }
int characteristics(sqlite3_file* file) { return real(file)->pMethods->xDeviceCharacteristics(real(file)); }

int map_shm(sqlite3_file* file, int page, int size, int extend, void volatile** address) {
    *address = nullptr;
    if (const int refused = disk().ask(Step::shm_map)) return refused;
    return real(file)->pMethods->xShmMap(real(file), page, size, extend, address);
}

int lock_shm(sqlite3_file* file, int offset, int count, int flags) {
    if ((flags & SQLITE_SHM_LOCK) != 0) {
        if (const int refused = disk().ask(Step::shm_lock)) return refused;
    }
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

void shm_barrier(sqlite3_file* file) { real(file)->pMethods->xShmBarrier(real(file)); }
int unmap_shm(sqlite3_file* file, int remove) { return real(file)->pMethods->xShmUnmap(real(file), remove); }

// Version 2: with shared memory, without xFetch, which nobody here uses (mmap_size = 0).
constexpr sqlite3_io_methods kWithSharedMemory = {
    2,         close_file,  read_file,  write_file,   truncate_file, sync_file,       size_of_file,
    lock_file, unlock_file, check_lock, control_file, sector_size,   characteristics, map_shm,
    lock_shm,  shm_barrier, unmap_shm,  nullptr,      nullptr};
// What "unix-none" has none of, SQLite must not be offered.
constexpr sqlite3_io_methods kWithoutSharedMemory = {
    1,         close_file,  read_file,  write_file,   truncate_file, sync_file,       size_of_file,
    lock_file, unlock_file, check_lock, control_file, sector_size,   characteristics, nullptr,
    nullptr,   nullptr,     nullptr,    nullptr,      nullptr};

sqlite3_vfs* behind(sqlite3_vfs* vfs) { return static_cast<sqlite3_vfs*>(vfs->pAppData); }

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* got) {
    File* own = self(file);
    own->base.pMethods = nullptr;  // SQLite closes only what has methods
    own->real = reinterpret_cast<sqlite3_file*>(own + 1);
    own->name = name;
    if (const int refused = disk().ask(Step::open)) return refused;
    int there = 0;
    if (name) behind(vfs)->xAccess(behind(vfs), name, SQLITE_ACCESS_EXISTS, &there);
    const int result = behind(vfs)->xOpen(behind(vfs), name, own->real, flags, got);
    if (own->real->pMethods) {
        const bool shared = own->real->pMethods->iVersion >= 2 && own->real->pMethods->xShmMap != nullptr;
        own->base.pMethods = shared ? &kWithSharedMemory : &kWithoutSharedMemory;
    }
    if (result == SQLITE_OK && !there) tell(file, DiskEvent::What::made);
    return result;
}

int remove_file(sqlite3_vfs* vfs, const char* name, int sync_directory) {
    if (const int refused = disk().ask(Step::remove)) return refused;
    const int result = behind(vfs)->xDelete(behind(vfs), name, sync_directory);
    if (result == SQLITE_OK) disk().tell({DiskEvent::What::removed, name});
    return result;
}

int access_file(sqlite3_vfs* vfs, const char* name, int what, int* yes) {
    if (const int refused = disk().ask(Step::access)) return refused;
    return behind(vfs)->xAccess(behind(vfs), name, what, yes);
}

int full_name(sqlite3_vfs* vfs, const char* name, int size, char* full) {
    return behind(vfs)->xFullPathname(behind(vfs), name, size, full);
}

int pass_time(sqlite3_vfs*, int microseconds) {
    disk().sleep(microseconds);
    return microseconds;
}

int random_bytes(sqlite3_vfs* vfs, int count, char* bytes) {
    return behind(vfs)->xRandomness(behind(vfs), count, bytes);
}
int current_time(sqlite3_vfs* vfs, double* now) { return behind(vfs)->xCurrentTime(behind(vfs), now); }
int last_error(sqlite3_vfs* vfs, int size, char* text) { return behind(vfs)->xGetLastError(behind(vfs), size, text); }
int current_time_64(sqlite3_vfs* vfs, sqlite3_int64* now) { return behind(vfs)->xCurrentTimeInt64(behind(vfs), now); }

sqlite3_vfs in_front_of(sqlite3_vfs* vfs, const char* name) {
    sqlite3_vfs own{};
    own.iVersion = 2;
    own.szOsFile = static_cast<int>(sizeof(File)) + vfs->szOsFile;
    own.mxPathname = vfs->mxPathname;
    own.zName = name;
    own.pAppData = vfs;
    own.xOpen = open_file;
    own.xDelete = remove_file;
    own.xAccess = access_file;
    own.xFullPathname = full_name;
    own.xRandomness = random_bytes;
    own.xSleep = pass_time;
    own.xCurrentTime = current_time;
    own.xGetLastError = last_error;
    own.xCurrentTimeInt64 = current_time_64;
    return own;
}

int error_of(Step step) {
    switch (step) {
        case Step::open:
            return SQLITE_CANTOPEN;
        case Step::remove:
            return SQLITE_IOERR_DELETE;
        case Step::access:
            return SQLITE_IOERR_ACCESS;
        case Step::read:
            return SQLITE_IOERR_READ;
        case Step::write:
            return SQLITE_IOERR_WRITE;
        case Step::truncate:
            return SQLITE_IOERR_TRUNCATE;
        case Step::sync:
            return SQLITE_IOERR_FSYNC;
        case Step::size:
            return SQLITE_IOERR_FSTAT;
        case Step::lock:
            return SQLITE_IOERR_LOCK;
        case Step::shm_map:
            return SQLITE_IOERR_SHMMAP;
        case Step::shm_lock:
            return SQLITE_IOERR_SHMLOCK;
    }
    return SQLITE_IOERR;
}

int result_of(Fault fault, Step step) {
    switch (fault) {
        case Fault::io_error:
            return error_of(step);
        case Fault::short_read:
            return SQLITE_IOERR_SHORT_READ;
        case Fault::short_write:
            return SQLITE_IOERR_WRITE;
        case Fault::full:
            return step == Step::open ? SQLITE_CANTOPEN : SQLITE_FULL;
        case Fault::sync_fails:
            return SQLITE_IOERR_FSYNC;
        case Fault::locked:
            return SQLITE_BUSY;
        case Fault::not_opened:
            return SQLITE_CANTOPEN;
    }
    return SQLITE_IOERR;
}

}  // namespace

Disk& Disk::instance() {
    static Disk disk;
    return disk;
}

Disk::Disk() {
    // Never destroyed: SQLite may close files when the program ends.
    static sqlite3_vfs front = in_front_of(sqlite3_vfs_find(nullptr), "faults");
    sqlite3_vfs* lockless = sqlite3_vfs_find("unix-none");
    if (!lockless) throw std::logic_error("SQLite has no unix-none");
    static sqlite3_vfs lockless_front = in_front_of(lockless, "unix-none");
    sqlite3_vfs_register(&front, 1);
    sqlite3_vfs_unregister(lockless);  // one name, one VFS
    sqlite3_vfs_register(&lockless_front, 0);
}

void Disk::arm(const Plan& plan) {
    plan_ = plan;
    armed_ = true;
    counted_ = 0;
    struck_ = false;
}

void Disk::disarm() { armed_ = false; }

bool Disk::concerns(Step step) const {
    switch (plan_.fault) {
        case Fault::io_error:
            return true;
        case Fault::short_read:
            return step == Step::read;
        case Fault::short_write:
            return step == Step::write;
        case Fault::full:
            return step == Step::write || step == Step::shm_map;
        case Fault::sync_fails:
            return step == Step::sync;
        case Fault::locked:
            return step == Step::lock || step == Step::shm_lock;
        case Fault::not_opened:
            return step == Step::open;
    }
    return false;
}

int Disk::ask(Step step) {
    if (passing_) passing_();
    if (!armed_ || !concerns(step)) return SQLITE_OK;
    ++counted_;
    const bool now = counted_ == plan_.at || (counted_ > plan_.at && plan_.lasting == Lasting::from_then_on);
    if (!now) return SQLITE_OK;
    struck_ = true;
    return result_of(plan_.fault, step);
}

bool Disk::halves() const {
    return plan_.fault == Fault::short_read || plan_.fault == Fault::short_write ||
           (plan_.fault == Fault::full && plan_.lasting == Lasting::once);
}

void Disk::tell(const DiskEvent& event) {
    if (event.what == DiskEvent::What::synced && ignores_syncs_) return;
    const std::lock_guard lock(mutex_);
    if (watcher_) watcher_(event);
}

}  // namespace postern::test
