/* Preloaded into a program whose instructions are counted: every random value of one byte is 1, so that each run does the same work.
 *
 * The generator still runs, and longer values (identifiers, keys, nonces) stay random. An endpoint draws one byte to decide
 * whether it deletes expired rows, which one request in sixty-four does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int getentropy(void* buffer, size_t count) {
    static int (*real)(void*, size_t);
    if (!real) *(void**)&real = dlsym(RTLD_NEXT, "getentropy");
    const int result = real(buffer, count);
    if (count == 1 && result == 0) *(unsigned char*)buffer = 1;
    return result;
}
