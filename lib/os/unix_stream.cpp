// A conversation with a program of this machine over a Unix stream socket, which ends at a deadline.
#include "os/unix_stream.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace postern::os {
namespace {

[[noreturn]] void fail(int error, const char* what) { throw std::system_error(error, std::generic_category(), what); }

std::chrono::microseconds left_until(UnixStream::Deadline deadline, const char* what) {
    const auto left =
        std::chrono::duration_cast<std::chrono::microseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= std::chrono::microseconds::zero()) fail(ETIMEDOUT, what);
    return left;
}

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() > UnixStream::kLongestPath) fail(ENAMETOOLONG, "connect");
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

bool is_for_later(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

UnixStream::UnixStream(const std::string& path, Deadline deadline)
    : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)), deadline_(deadline) {
    if (!socket_) fail(errno, "socket");
    const sockaddr_un address = address_of(path);
    while (true) {
        // A peer that accepts nothing has a queue, and the kernel waits for a place in it: poll(2) cannot.
        const auto left = left_until(deadline_, "connect");
        const timeval wait{static_cast<time_t>(left.count() / 1000000),
                           static_cast<suseconds_t>(left.count() % 1000000)};
        if (::setsockopt(socket_.get(), SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) != 0) fail(errno, "setsockopt");
        if (::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) return;
        if (!is_for_later(errno)) fail(errno, "connect");
    }
}

void UnixStream::wait_for(short events) const {
    pollfd watched{socket_.get(), events, 0};
    const auto left = left_until(deadline_, events == POLLIN ? "receive" : "send");
    const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(left);
    // The next look at the clock finds that the time is over or a signal came.
    if (::poll(&watched, 1, static_cast<int>(milliseconds.count())) < 0 && errno != EINTR) fail(errno, "poll");
}

void UnixStream::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        else if (is_for_later(errno))
            wait_for(POLLOUT);
        else
            fail(errno, "send");
    }
}

std::string UnixStream::receive(std::size_t most) {
    std::string bytes(most, '\0');
    while (true) {
        const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (got >= 0) {
            bytes.resize(static_cast<std::size_t>(got));
            return bytes;
        }
        if (!is_for_later(errno)) fail(errno, "receive");
        wait_for(POLLIN);
    }
}

}  // namespace postern::os
