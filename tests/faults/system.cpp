// Each call does what it always does, unless it is its turn to fail.
#include "faults/system.h"

#include <fcntl.h>
#include <sys/types.h>

#include <cerrno>
#include <cstdarg>
#include <cstddef>

namespace postern::test {

System& System::instance() {
    static System system;
    return system;
}

void System::arm(int at, int error) {
    at_ = at;
    error_ = error;
    counted_ = 0;
    struck_ = false;
}

bool System::refuses() {
    pass();
    if (at_ == 0 || ++counted_ != at_) return false;
    struck_ = true;
    errno = error_;
    return true;
}

}  // namespace postern::test

namespace {

bool refused() { return postern::test::System::instance().refuses(); }
void pass() { postern::test::System::instance().pass(); }

}  // namespace

extern "C" {

int __real_open(const char* path, int flags, ...);
ssize_t __real_write(int file, const void* bytes, size_t size);
int __real_fsync(int file);
int __real_fchmod(int file, mode_t mode);
int __real_rename(const char* from, const char* to);
int __real_link(const char* from, const char* to);
int __real_ftruncate(int file, off_t size);
int __real_flock(int file, int what);
ssize_t __real_pread(int file, void* bytes, size_t size, off_t offset);
ssize_t __real_pwrite(int file, const void* bytes, size_t size, off_t offset);

int __wrap_open(const char* path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return refused() ? -1 : __real_open(path, flags, mode);
}
ssize_t __wrap_write(int file, const void* bytes, size_t size) {
    // A disk that fills up takes the first part.
    if (refused()) return size > 1 && errno == ENOSPC ? __real_write(file, bytes, size / 2), errno = ENOSPC, -1 : -1;
    return __real_write(file, bytes, size);
}
int __wrap_fsync(int file) { return refused() ? -1 : __real_fsync(file); }
int __wrap_fchmod(int file, mode_t mode) { return refused() ? -1 : __real_fchmod(file, mode); }
int __wrap_rename(const char* from, const char* to) { return refused() ? -1 : __real_rename(from, to); }
int __wrap_link(const char* from, const char* to) { return refused() ? -1 : __real_link(from, to); }
int __wrap_ftruncate(int file, off_t size) { return refused() ? -1 : __real_ftruncate(file, size); }

int __wrap_flock(int file, int what) {
    pass();
    return __real_flock(file, what);
}
ssize_t __wrap_pread(int file, void* bytes, size_t size, off_t offset) {
    pass();
    return __real_pread(file, bytes, size, offset);
}
ssize_t __wrap_pwrite(int file, const void* bytes, size_t size, off_t offset) {
    pass();
    return __real_pwrite(file, bytes, size, offset);
}

}  // extern "C"
