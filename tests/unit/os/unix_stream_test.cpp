// A conversation over a Unix stream socket: it gets through, and it ends.
#include "os/unix_stream.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <system_error>

#include "support/fake_saslauthd.h"
#include "support/files.h"

using namespace postern;
using namespace postern::test;
using namespace std::chrono_literals;
using os::UnixStream;

namespace {

UnixStream::Deadline in(std::chrono::milliseconds time) { return std::chrono::steady_clock::now() + time; }

/// The errno with which it ended; 0: it did not.
int error_of(const std::function<void()>& run) {
    try {
        run();
    } catch (const std::system_error& error) {
        return error.code().value();
    }
    return 0;
}

std::string request_of(const std::string& name) {
    std::string request;
    for (const std::string& part : {name, std::string("p"), std::string("s"), std::string()})
        request += FakeSaslauthd::framed(part);
    return request;
}

/// Accepts nothing; one connection waits for that, and no other is let in.
os::Descriptor full_listener(const std::string& path) {
    os::Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    REQUIRE(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(listener.get(), 0) == 0);
    return listener;
}

}  // namespace

TEST_CASE("UnixStream: what is sent arrives, and what comes in pieces is received until the peer closes") {
    const TemporaryDirectory directory;
    FakeSaslauthd peer(directory / "mux", [](const FakeSaslauthd::Asked&) {
        return FakeSaslauthd::Reply{.pieces = {"one", "two"}};
    });
    UnixStream stream(peer.path(), in(10s));
    stream.send(request_of("ada"));
    std::string received;
    for (std::string more = stream.receive(2); !more.empty(); more = stream.receive(2)) {
        CHECK(more.size() <= 2);
        received += more;
    }
    CHECK(received == "onetwo");
    CHECK(peer.asked() == std::vector<FakeSaslauthd::Asked>{{"ada", "p", "s", ""}});
}

TEST_CASE("UnixStream: where nothing listens, it says so") {
    const TemporaryDirectory directory;
    write_file(directory / "file", "text");
    CHECK(error_of([&] { UnixStream(directory / "nothing", in(10s)); }) == ENOENT);
    CHECK(error_of([&] { UnixStream(directory / "file", in(10s)); }) == ECONNREFUSED);
    CHECK(error_of([&] { UnixStream("/" + std::string(UnixStream::kLongestPath - 1, 'x'), in(10s)); }) == ENOENT);
    CHECK(error_of([&] { UnixStream("/" + std::string(UnixStream::kLongestPath, 'x'), in(10s)); }) == ENAMETOOLONG);
}

TEST_CASE("UnixStream: a peer that hangs costs no more than is left until the deadline") {
    const TemporaryDirectory directory;
    FakeSaslauthd peer(directory / "mux",
                       [](const FakeSaslauthd::Asked&) { return FakeSaslauthd::Reply{.pieces = {}, .hangs = true}; });
    SUBCASE("silent") {
        const auto deadline = in(30ms);
        UnixStream stream(peer.path(), in(10s));
        CHECK(error_of([&] {
                  UnixStream silent(peer.path(), deadline);
                  silent.send(request_of("ada"));
                  silent.receive(1);
              }) == ETIMEDOUT);
        CHECK(std::chrono::steady_clock::now() >= deadline);
    }
    SUBCASE("it reads nothing") {
        UnixStream stream(peer.path(), in(30ms));
        stream.send(request_of("ada"));
        CHECK(error_of([&] { stream.send(std::string(16 << 20, 'x')); }) == ETIMEDOUT);
    }
    SUBCASE("it accepts nothing") {
        const std::string path = directory / "full";
        const os::Descriptor listener = full_listener(path);
        const UnixStream first(path, in(10s));
        const auto deadline = in(30ms);
        CHECK(error_of([&] { UnixStream(path, deadline); }) == ETIMEDOUT);
        CHECK(std::chrono::steady_clock::now() >= deadline);
    }
    SUBCASE("the deadline has gone by") {
        CHECK(error_of([&] { UnixStream(peer.path(), in(0ms)); }) == ETIMEDOUT);
    }
}

TEST_CASE("UnixStream: a peer that has gone away is an error, and no signal ends the process") {
    const TemporaryDirectory directory;
    FakeSaslauthd peer(directory / "mux");
    UnixStream stream(peer.path(), in(10s));
    stream.send(request_of("ada"));
    while (!stream.receive(100).empty()) continue;
    CHECK(error_of([&] { stream.send("more"); }) == EPIPE);
}
