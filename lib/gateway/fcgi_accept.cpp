// Accepts the connections of web servers: who may connect over TCP.
//
// libfcgi would accept them, too. It checks FCGI_WEB_SERVER_ADDRS for IPv4 alone, and goes on accepting and reading
// from one connection after another before it returns, so that no time limit would be that of one request.
#include "gateway/fcgi_accept.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "gateway/address.h"
#include "util/text.h"

namespace postern::gateway {
namespace {

bool may_connect(const sockaddr_storage& peer) {
    const char* listed = std::getenv("FCGI_WEB_SERVER_ADDRS");
    if (listed == nullptr || peer.ss_family == AF_UNIX) return true;
    const void* bytes = peer.ss_family == AF_INET6
                            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr)
                            : &reinterpret_cast<const sockaddr_in&>(peer).sin_addr;
    char text[INET6_ADDRSTRLEN] = "";
    if (inet_ntop(peer.ss_family, bytes, text, sizeof text) == nullptr) return false;
    const auto address = canonical_address(text);  // a listener for IPv6 sees IPv4 addresses as mapped ones
    const auto allowed = util::split(listed, ',');
    return address && std::ranges::any_of(
                          allowed, [&](std::string_view one) { return canonical_address(util::trim(one)) == address; });
}

}  // namespace

bool is_awaited() {
    constexpr int kListener = STDIN_FILENO;
    int listens = 0;
    socklen_t length = sizeof listens;
    if (getsockopt(kListener, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) != 0 || listens == 0) return false;
    pollfd connection{kListener, POLLIN, 0};
    return poll(&connection, 1, 0) > 0;
}

int accept_connection(int listener) {
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    const int accepted = accept4(listener, reinterpret_cast<sockaddr*>(&peer), &length, SOCK_CLOEXEC);
    if (accepted < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        throw std::system_error(errno, std::generic_category(), "accepting requests");
    if (accepted < 0) return -1;
    if (!may_connect(peer)) {
        close(accepted);
        return -1;
    }
    const int now = 1;
    if (peer.ss_family != AF_UNIX) setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    return accepted;
}

}  // namespace postern::gateway
