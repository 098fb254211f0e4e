// The connection of a web server to a FastCGI process: every wait for it has an end.
#include "gateway/fcgi_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "gateway/address.h"
#include "util/text.h"

namespace postern::gateway {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kPatience{30};           // for an answer
constexpr std::chrono::milliseconds kLastPatience{50};  // for whoever has his answer and goes on writing
constexpr std::size_t kPiece = 16384;

/// Waits until the socket is ready. False: the time is over.
bool wait_for(int socket, short events, Deadline end) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd waiting{socket, events, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return false;
    }
}

/// FCGI_WEB_SERVER_ADDRS names the web servers that may connect over TCP; without it all may (FastCGI 1.0 §3.2).
bool is_welcome(const sockaddr_storage& peer) {
    const char* listed = std::getenv("FCGI_WEB_SERVER_ADDRS");
    if (listed == nullptr || peer.ss_family == AF_UNIX) return true;
    const void* bytes = peer.ss_family == AF_INET6
                            ? static_cast<const void*>(&reinterpret_cast<const sockaddr_in6&>(peer).sin6_addr)
                            : &reinterpret_cast<const sockaddr_in&>(peer).sin_addr;
    char text[INET6_ADDRSTRLEN] = "";
    if (inet_ntop(peer.ss_family, bytes, text, sizeof text) == nullptr) return false;
    const auto address = canonical_address(text);  // IPv4 comes to a listener for IPv6 in its clothes
    const auto welcome = util::split(listed, ',');
    return address && std::ranges::any_of(
                          welcome, [&](std::string_view one) { return canonical_address(util::trim(one)) == address; });
}

}  // namespace

bool FcgiConnection::accept(int listener) {
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    const int accepted = accept4(listener, reinterpret_cast<sockaddr*>(&peer), &length, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
        throw std::system_error(errno, std::generic_category(), "accepting requests");
    if (accepted < 0) return false;
    close();
    socket_ = accepted;
    const int now = 1;
    if (peer.ss_family != AF_UNIX) setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    if (!is_welcome(peer)) close();
    return is_open();
}

bool FcgiConnection::take_head(Deadline end, FcgiHead& head) {
    while (has_unread() || read_more(end)) {
        const std::size_t before = head.size();
        const auto verdict = head.take(unread_);
        unread_.erase(0, head.size() - before);
        if (verdict != FcgiHead::Verdict::incomplete) return verdict == FcgiHead::Verdict::good;
    }
    return false;
}

std::size_t FcgiConnection::read(char* buffer, std::size_t size, Deadline end) {
    if (!has_unread() && !read_more(end)) return 0;
    const std::size_t taken = std::min(size, unread_.size());
    std::copy_n(unread_.begin(), taken, buffer);
    unread_.erase(0, taken);
    return taken;
}

bool FcgiConnection::read_more(Deadline end) {
    std::array<char, kPiece> piece;
    while (steady_clock::now() < end) {
        const ssize_t got = ::read(socket_, piece.data(), piece.size());
        if (got > 0) unread_.append(piece.data(), static_cast<std::size_t>(got));
        if (got >= 0) return got > 0;
        if (errno == EAGAIN && !wait_for(socket_, POLLIN, end)) return false;
        if (errno != EAGAIN && errno != EINTR) return false;
    }
    return false;
}

bool FcgiConnection::write(std::string_view bytes) {
    const Deadline end = steady_clock::now() + kPatience;
    while (!bytes.empty()) {
        const ssize_t written = ::write(socket_, bytes.data(), bytes.size());
        if (written >= 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            if (!wait_for(socket_, POLLOUT, end)) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

/// Bytes that nobody has read when a socket is closed make the peer's next read an error, on TCP even before the answer
/// that he has not read yet.
void FcgiConnection::end() {
    shutdown(socket_, SHUT_WR);
    const Deadline last = steady_clock::now() + kLastPatience;
    do {
        unread_.clear();
    } while (read_more(last));
    close();
}

void FcgiConnection::close() {
    if (is_open()) ::close(socket_);
    socket_ = -1;
    unread_.clear();
}

}  // namespace postern::gateway
