#include "gateway/fcgi_connection.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>

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

TEST_CASE("FcgiConnection: over TCP the listed web servers may connect, without a list all may [FastCGI 1.0 §3.2]") {
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
            FcgiConnection connection;
            CHECK(connection.accept(listener.descriptor()) == row.welcome);
            CHECK(connection.is_open() == row.welcome);
            close(peer);
            unsetenv("FCGI_WEB_SERVER_ADDRS");
        }
    }
}

TEST_CASE("FcgiConnection: somebody new takes the place of who was there, and nobody takes nobody's") {
    const Listener listener(AF_INET);
    FcgiConnection connection;
    CHECK_FALSE(connection.accept(listener.descriptor()));
    const int first = listener.connect_by_ipv4();
    REQUIRE(connection.accept(listener.descriptor()));
    CHECK_FALSE(connection.accept(listener.descriptor()));
    CHECK(connection.is_open());
    CHECK(connection.write("hello"));
    const int second = listener.connect_by_ipv4();
    REQUIRE(connection.accept(listener.descriptor()));
    char buffer[16];
    CHECK(recv(first, buffer, sizeof buffer, MSG_WAITALL) == 5);
    close(first);
    close(second);
}

TEST_CASE("FcgiConnection: says when an answer could not be written whole") {
    const Listener listener(AF_INET);
    const int peer = listener.connect_by_ipv4();
    FcgiConnection connection;
    REQUIRE(connection.accept(listener.descriptor()));
    CHECK(connection.write("an answer"));
    close(peer);  // with bytes unread
    CHECK_FALSE((connection.write(std::string(100'000, 'x')) && connection.write(std::string(10'000'000, 'x'))));
}

TEST_CASE("FcgiConnection: reads until the deadline, and not beyond it") {
    const Listener listener(AF_INET);
    const int peer = listener.connect_by_ipv4();
    FcgiConnection connection;
    REQUIRE(connection.accept(listener.descriptor()));
    char buffer[4];
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    CHECK(connection.read(buffer, sizeof buffer, soon) == 0);
    CHECK(std::chrono::steady_clock::now() >= soon);
    REQUIRE(send(peer, "abcdef", 6, 0) == 6);
    CHECK(connection.read(buffer, sizeof buffer, soon) == 0);
    const auto later = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    CHECK(connection.read(buffer, sizeof buffer, later) == 4);
    CHECK(connection.has_unread());
    CHECK(connection.read(buffer, sizeof buffer, soon) == 2);  // what is here already does not wait
    close(peer);
    CHECK(connection.read(buffer, sizeof buffer, later) == 0);
}

}  // namespace
}  // namespace postern::gateway
