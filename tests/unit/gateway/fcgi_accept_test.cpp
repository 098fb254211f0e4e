#include "gateway/fcgi_accept.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <system_error>

namespace postern::gateway {
namespace {

/// A listener on the loopback address of a family, and the peers that connect to it.
class Listener {
public:
    explicit Listener(int family) : family_(family), socket_(socket(family, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
        std::signal(SIGPIPE, SIG_IGN);
        const int no = 0;
        if (family == AF_INET6) setsockopt(socket_, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
        sockaddr_storage address = loopback(0);
        is_there_ = socket_ >= 0 && bind(socket_, reinterpret_cast<sockaddr*>(&address), size()) == 0 &&
                    listen(socket_, 16) == 0;
        socklen_t length = sizeof address;
        getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &length);
        port_ = family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                   : reinterpret_cast<sockaddr_in&>(address).sin_port;
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() { close(socket_); }

    bool is_there() const { return is_there_; }
    int descriptor() const { return socket_; }

    /// Connects over IPv4, whatever the listener's family.
    int connect_by_ipv4() const {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = port_;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const int peer = socket(AF_INET, SOCK_STREAM, 0);
        REQUIRE(connect(peer, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        return peer;
    }

private:
    socklen_t size() const { return family_ == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in); }
    sockaddr_storage loopback(in_port_t port) const {
        sockaddr_storage address{};
        address.ss_family = static_cast<sa_family_t>(family_);
        if (family_ == AF_INET6) {
            inet_pton(AF_INET6, "::ffff:127.0.0.1", &reinterpret_cast<sockaddr_in6&>(address).sin6_addr);
            reinterpret_cast<sockaddr_in6&>(address).sin6_port = port;
        } else {
            reinterpret_cast<sockaddr_in&>(address).sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            reinterpret_cast<sockaddr_in&>(address).sin_port = port;
        }
        return address;
    }

    int family_;
    int socket_;
    bool is_there_ = false;
    in_port_t port_ = 0;
};

TEST_CASE("accept_connection: over TCP the listed web servers may connect, without a list all may [FastCGI 1.0 §3.2]") {
    const struct {
        const char* listed;
        bool welcome;
    } rows[] = {
        {nullptr, true},
        {"127.0.0.1", true},
        {"192.0.2.1, 127.0.0.1", true},
        {"::ffff:127.0.0.1", true},
        {"192.0.2.1", false},
        {"", false},
        {"localhost", false},
        {"127.0.0.10", false},
        {"::1", false},
        {"127.0.0.1:80", false},
        {"127.0.0.1,", true},
    };
    for (const int family : {AF_INET, AF_INET6}) {
        const Listener listener(family);
        if (!listener.is_there() && family == AF_INET6) continue;  // a machine without IPv6
        REQUIRE(listener.is_there());
        for (const auto& row : rows) {
            CAPTURE(family);
            CAPTURE(std::string(row.listed ? row.listed : "(none)"));
            if (row.listed) setenv("FCGI_WEB_SERVER_ADDRS", row.listed, 1);
            const int peer = listener.connect_by_ipv4();
            const int accepted = accept_connection(listener.descriptor());
            CHECK((accepted >= 0) == row.welcome);
            char byte = 0;
            if (!row.welcome) CHECK(recv(peer, &byte, 1, 0) <= 0);  // it was hung up on
            close(accepted);
            close(peer);
            unsetenv("FCGI_WEB_SERVER_ADDRS");
        }
    }
}

TEST_CASE("accept_connection: -1 when no web server waits, and the connection is closed on exec") {
    const Listener listener(AF_INET);
    CHECK(accept_connection(listener.descriptor()) == -1);
    const int peer = listener.connect_by_ipv4();
    const int accepted = accept_connection(listener.descriptor());
    REQUIRE(accepted >= 0);
    CHECK((fcntl(accepted, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK((fcntl(accepted, F_GETFL) & O_NONBLOCK) == 0);
    CHECK(accept_connection(listener.descriptor()) == -1);
    close(accepted);
    close(peer);
}

TEST_CASE("is_awaited: a web server waits at the socket that the process was started with [FastCGI 1.0 §2.2]") {
    const Listener listener(AF_INET);
    const int before = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    CHECK(dup2(listener.descriptor(), STDIN_FILENO) == STDIN_FILENO);
    const bool without = is_awaited();
    const int peer = listener.connect_by_ipv4();
    const bool with = is_awaited();
    close(accept_connection(listener.descriptor()));
    const bool served = is_awaited();
    CHECK(dup2(peer, STDIN_FILENO) == STDIN_FILENO);  // a socket that listens to nobody
    const bool other = is_awaited();
    close(STDIN_FILENO);
    const bool none = is_awaited();
    if (before >= 0) dup2(before, STDIN_FILENO);
    close(before);
    close(peer);
    CHECK_FALSE(without);
    CHECK(with);
    CHECK_FALSE(served);
    CHECK_FALSE(other);
    CHECK_FALSE(none);
}

TEST_CASE("accept_connection: a descriptor that is not a listener is an error") {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    CHECK_THROWS_AS(accept_connection(ends[0]), std::system_error);
    for (const int end : ends) close(end);
}

}  // namespace
}  // namespace postern::gateway
