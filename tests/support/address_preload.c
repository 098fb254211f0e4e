/* Preloaded into a program under test: each host name that ends with ".test" has the address that POSTERN_TEST_ADDRESS
 * holds. With "spy" there it is 10.A.B.C: what became of reading /etc/passwd, of connecting to port 9 and of a fork, each
 * an errno or 0. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int (*resolver)(const char*, const char*, const struct addrinfo*, struct addrinfo**);

static int outcome(int result) { return result < 0 ? errno : 0; }

static int connected(void) {
    const struct sockaddr_in address = {AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, {0}};
    return connect(socket(AF_INET, SOCK_STREAM, 0), (const struct sockaddr*)&address, sizeof address);
}

static int forked(void) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return child;
}

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints, struct addrinfo** found) {
    const resolver real = (resolver)dlsym(RTLD_NEXT, "getaddrinfo");
    const char* address = getenv("POSTERN_TEST_ADDRESS");
    const size_t length = node ? strlen(node) : 0;
    if (!address || length < 5 || strcmp(node + length - 5, ".test") != 0) return real(node, service, hints, found);
    if (strcmp(address, "spy") != 0) return real(address, service, hints, found);
    char seen[64];
    const int passwd = outcome(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
    const int port = outcome(connected());
    snprintf(seen, sizeof seen, "10.%d.%d.%d", passwd, port, outcome(forked()));
    return real(seen, service, hints, found);
}
