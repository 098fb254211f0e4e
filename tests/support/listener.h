// A server on this machine for addresses that no program may open.
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <string>

#include "os/file.h"

namespace postern::test {

/// Listens on a port of its own on 127.0.0.1 as long as it lives, and answers nothing.
class Listener {
public:
    Listener() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        auto* const generic = reinterpret_cast<sockaddr*>(&address);
        REQUIRE(::bind(socket_.get(), generic, size) == 0);
        REQUIRE(::listen(socket_.get(), 16) == 0);
        REQUIRE(::getsockname(socket_.get(), generic, &size) == 0);
        url_ = "http://127.0.0.1:" + std::to_string(ntohs(address.sin_port)) + "/";
    }

    const std::string& url() const { return url_; }
    /// Returns true when a connection came since the last call.
    bool was_contacted() const { return os::Descriptor(::accept(socket_.get(), nullptr, nullptr)).get() >= 0; }

private:
    os::Descriptor socket_;
    std::string url_;
};

}  // namespace postern::test
