/* Preloaded into a program under test: the host db.test has the address that the file POSTERN_TEST_NAMES holds, which may
 * change at any time. Without a number in the file the name is unknown. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef int (*resolver)(const char*, const char*, const struct addrinfo*, struct addrinfo**);

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints, struct addrinfo** found) {
    const resolver real = (resolver)dlsym(RTLD_NEXT, "getaddrinfo");
    const char* file = getenv("POSTERN_TEST_NAMES");
    if (!file || !node || strcmp(node, "db.test") != 0 || (hints && hints->ai_flags & AI_NUMERICHOST))
        return real(node, service, hints, found);
    const int descriptor = open(file, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return EAI_NONAME;
    char address[64] = "";
    const ssize_t length = read(descriptor, address, sizeof address - 1);
    close(descriptor);
    if (length <= 0 || address[0] < '0' || address[0] > '9') return EAI_NONAME;
    return real(address, service, hints, found);
}
