/* What a program under measurement decides by chance is decided alike each time: preloaded into it, single random bytes are 1.
 *
 * The generator does its work all the same, and everything longer (identifiers, keys, nonces) is as random as ever. One byte is
 * what an endpoint throws before it cleans up, one request in sixty-four. */
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
