/* A moment that a test chooses: preloaded into a program under test, it stops the program (SIGSTOP) in front of the
 * call that POSTERN_TEST_STOP_AT names by function and number, "flock:1" or "fsync:3". The test sees it stop by
 * waitpid(2) with WUNTRACED and lets it go on with SIGCONT. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void pass(const char* function, int number) {
    const char* wanted = getenv("POSTERN_TEST_STOP_AT");
    const size_t length = strlen(function);
    if (!wanted || strncmp(wanted, function, length) != 0 || wanted[length] != ':') return;
    if (atoi(wanted + length + 1) == number) raise(SIGSTOP);
}

int flock(int descriptor, int operation) {
    static int calls = 0;
    pass("flock", ++calls);
    int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    return real(descriptor, operation);
}

int fsync(int descriptor) {
    static int calls = 0;
    pass("fsync", ++calls);
    int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    return real(descriptor);
}
