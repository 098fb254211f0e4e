/* Preloaded into a program under test: statvfs(3) reports POSTERN_TEST_FREE_BYTES and POSTERN_TEST_FREE_FILES as free, and
 * statfs(2) reports POSTERN_TEST_FILE_SYSTEM (a magic number) as the type. A variable that is not set leaves the real value. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>

int statvfs(const char* path, struct statvfs* answer) {
    int (*real)(const char*, struct statvfs*) = (int (*)(const char*, struct statvfs*))dlsym(RTLD_NEXT, "statvfs");
    const int result = real(path, answer);
    const char* bytes = getenv("POSTERN_TEST_FREE_BYTES");
    const char* files = getenv("POSTERN_TEST_FREE_FILES");
    if (bytes) answer->f_bavail = strtoull(bytes, NULL, 10) / answer->f_frsize;
    if (files) {
        answer->f_files = 1000000;
        answer->f_favail = strtoull(files, NULL, 10);
    }
    return result;
}

int statfs(const char* path, struct statfs* answer) {
    int (*real)(const char*, struct statfs*) = (int (*)(const char*, struct statfs*))dlsym(RTLD_NEXT, "statfs");
    const int result = real(path, answer);
    const char* magic = getenv("POSTERN_TEST_FILE_SYSTEM");
    if (magic) answer->f_type = (__typeof__(answer->f_type))strtoull(magic, NULL, 16);
    return result;
}
