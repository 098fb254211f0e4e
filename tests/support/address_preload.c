/* Preloaded into a program under test: each host name that ends with ".test" has the address that POSTERN_TEST_ADDRESS
 * holds. With "spy" there it is 10.0.0.N, N what became of what the name says ("port.test"), an errno or 0. */
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

static int socket_of(int family, int type, int protocol) {
    const int made = socket(family, type | SOCK_CLOEXEC, protocol);
    if (made >= 0) close(made);
    return made;
}

static int read_passwd(void) { return open("/etc/passwd", O_RDONLY | O_CLOEXEC); }
static int mptcp(void) { return socket_of(AF_INET, SOCK_STREAM, 262); }
static int icmp(void) { return socket_of(AF_INET, SOCK_DGRAM, IPPROTO_ICMP); }
static int unix_stream(void) { return socket_of(AF_UNIX, SOCK_STREAM, 0); }
static int unix_datagram(void) { return socket_of(AF_UNIX, SOCK_DGRAM, 0); }
static int netlink(void) { return socket_of(AF_NETLINK, SOCK_RAW, 0); }
static int vsock(void) { return socket_of(AF_VSOCK, SOCK_STREAM, 0); }

static int pair(void) {
    int ends[2];
    return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
}

static int fast_open(void) {
    const struct sockaddr_in address = {AF_INET, htons(9), {htonl(INADDR_LOOPBACK)}, {0}};
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    return (int)sendto(made, "x", 1, MSG_FASTOPEN, (const struct sockaddr*)&address, sizeof address);
}

static int bound(void) {
    const struct sockaddr_in address = {AF_INET, 0, {htonl(INADDR_LOOPBACK)}, {0}};
    return bind(socket(AF_INET, SOCK_DGRAM, 0), (const struct sockaddr*)&address, sizeof address);
}

static int forked(void) {
    const pid_t child = fork();
    if (child == 0) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return child;
}

static const struct {
    const char* name;
    int (*attempt)(void);
} attempts[] = {
    {"passwd.test", read_passwd},  {"port.test", connected},
    {"fork.test", forked},         {"mptcp.test", mptcp},
    {"fast-open.test", fast_open}, {"icmp.test", icmp},
    {"unix.test", unix_stream},    {"datagram.test", unix_datagram},
    {"pair.test", pair},           {"netlink.test", netlink},
    {"vsock.test", vsock},         {"bind.test", bound},
};

int getaddrinfo(const char* node, const char* service, const struct addrinfo* hints, struct addrinfo** found) {
    const resolver real = (resolver)dlsym(RTLD_NEXT, "getaddrinfo");
    const char* address = getenv("POSTERN_TEST_ADDRESS");
    const size_t length = node ? strlen(node) : 0;
    if (!address || length < 5 || strcmp(node + length - 5, ".test") != 0) return real(node, service, hints, found);
    if (strcmp(address, "spy") != 0) return real(address, service, hints, found);
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; ++i) {
        if (strcmp(node, attempts[i].name) != 0) continue;
        char seen[64];
        snprintf(seen, sizeof seen, "10.0.0.%d", outcome(attempts[i].attempt()));
        return real(seen, service, hints, found);
    }
    return EAI_NONAME;
}
