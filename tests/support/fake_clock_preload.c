/* Preloaded into a program under test: its wall clock and its syslog are the test's.
 *
 * With POSTERN_TEST_CLOCK (epoch seconds) the wall clock stands still at that time. With POSTERN_TEST_CLOCK_AHEAD it runs
 * ahead of the system's by the number of seconds that the named file holds (eight bytes, host order), which may change at
 * any time. A web server that passes the variables on keeps the system's clock, because lighttpd restarts itself when its
 * clock jumps by half an hour. With POSTERN_TEST_HASTE the monotonic clock runs that many times as fast, for a limit that
 * a test cannot wait for. libfaketime is not used because it keeps files in /dev/shm that collide when process ids are
 * reused.
 *
 * A database server on this machine does not share that clock. So timespec_get, with which a connection compares the
 * clocks of both machines, has the system's time, unless POSTERN_TEST_CLOCK_APART is set.
 *
 * Lines for syslog are appended to the file that POSTERN_TEST_SYSLOG names, and dropped without it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Mapped at the first question. */
static time_t ahead(const char* file) {
    static const volatile int64_t* seconds = NULL;
    if (!seconds) {
        const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
        if (descriptor < 0) return 0;
        void* mapped = mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, descriptor, 0);
        close(descriptor);
        if (mapped == MAP_FAILED) return 0;
        seconds = mapped;
    }
    return (time_t)*seconds;
}

/* Which is asked here: later a sandbox may keep the program from opening files. */
__attribute__((constructor)) static void begin(void) {
    const char* file = getenv("POSTERN_TEST_CLOCK_AHEAD");
    if (file) ahead(file);
}

static int is_web_server(void) {
    static const char* const names[] = {"lighttpd", "apache2", "nginx"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(program_invocation_short_name, names[i]) == 0) return 1;
    return 0;
}

/* Whether a variable sets the wall clock; otherwise it is the machine's in every way. */
static int read_test_clock(time_t* seconds) {
    const char* file = getenv("POSTERN_TEST_CLOCK_AHEAD");
    const char* text = file ? NULL : getenv("POSTERN_TEST_CLOCK");
    if (file) {
        struct timespec now;
        syscall(SYS_clock_gettime, CLOCK_REALTIME, &now);
        *seconds = is_web_server() ? now.tv_sec : now.tv_sec + ahead(file);
    } else if (text) {
        *seconds = (time_t)strtoll(text, NULL, 10);
    }
    return file || text;
}

static int hasty(long haste, struct timespec* now) {
    if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, now) != 0) return -1;
    const int64_t nanoseconds = now->tv_nsec * haste;
    now->tv_sec = now->tv_sec * haste + nanoseconds / 1000000000;
    now->tv_nsec = nanoseconds % 1000000000;
    return 0;
}

int clock_gettime(clockid_t clock, struct timespec* now) {
    const char* haste = clock == CLOCK_MONOTONIC ? getenv("POSTERN_TEST_HASTE") : NULL;
    if (haste) return hasty(strtol(haste, NULL, 10), now);
    const int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
    if (!is_wall || !read_test_clock(&now->tv_sec)) return (int)syscall(SYS_clock_gettime, clock, now);
    now->tv_nsec = 0;
    return 0;
}

time_t time(time_t* now) {
    struct timespec wall;
    clock_gettime(CLOCK_REALTIME, &wall);
    if (now) *now = wall.tv_sec;
    return wall.tv_sec;
}

int gettimeofday(struct timeval* restrict now, void* restrict zone) {
    (void)zone;
    if (!read_test_clock(&now->tv_sec)) return (int)syscall(SYS_gettimeofday, now, NULL);
    now->tv_usec = 0;
    return 0;
}

int timespec_get(struct timespec* now, int base) {
    if (getenv("POSTERN_TEST_CLOCK_APART")) return clock_gettime(CLOCK_REALTIME, now) == 0 ? base : 0;
    return syscall(SYS_clock_gettime, CLOCK_REALTIME, now) == 0 ? base : 0;
}

void openlog(const char* name, int option, int facility) { (void)name, (void)option, (void)facility; }

void closelog(void) {}

void vsyslog(int priority, const char* format, va_list values) {
    (void)priority;
    const char* file = getenv("POSTERN_TEST_SYSLOG");
    const int descriptor = file ? open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    if (descriptor < 0) return;
    vdprintf(descriptor, format, values);
    dprintf(descriptor, "\n");
    close(descriptor);
}

void syslog(int priority, const char* format, ...) {
    va_list values;
    va_start(values, format);
    vsyslog(priority, format, values);
    va_end(values);
}

/* What glibc makes of syslog() in a program built with _FORTIFY_SOURCE. */
void __syslog_chk(int priority, int flag, const char* format, ...) {
    (void)flag;
    va_list values;
    va_start(values, format);
    vsyslog(priority, format, values);
    va_end(values);
}
