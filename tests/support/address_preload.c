/* Preloaded into a program under test: each host name that ends with ".test" has the address that POSTERN_TEST_ADDRESS
 * holds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

typedef int (*resolver)(const char*, const char*, const struct addrinfo*, struct addrinfo**);

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints, struct addrinfo** found) {
    const resolver real = (resolver)dlsym(RTLD_NEXT, "getaddrinfo");
    const char* address = getenv("POSTERN_TEST_ADDRESS");
    const size_t length = node ? strlen(node) : 0;
    if (!address || length < 5 || strcmp(node + length - 5, ".test") != 0) return real(node, service, hints, found);
    return real(address, service, hints, found);
}
