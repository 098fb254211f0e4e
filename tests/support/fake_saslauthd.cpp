// A saslauthd that a test writes: it listens on a Unix socket, records what it is asked, and answers, or does not.
#include "support/fake_saslauthd.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <utility>

namespace postern::test {
namespace {

os::Descriptor listen_at(const std::string& path) {
    os::Descriptor listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(path.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, path.data(), path.size());
    ::unlink(path.c_str());
    REQUIRE(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::chmod(path.c_str(), 0666) == 0);
    REQUIRE(::listen(listener.get(), 16) == 0);
    return listener;
}

std::optional<std::string> read_bytes(int socket, std::size_t wanted) {
    std::string bytes(wanted, '\0');
    for (std::size_t got = 0; got < wanted;) {
        const ssize_t more = ::read(socket, bytes.data() + got, wanted - got);
        if (more <= 0) return std::nullopt;
        got += static_cast<std::size_t>(more);
    }
    return bytes;
}

std::optional<std::string> read_part(int socket) {
    const auto length = read_bytes(socket, 2);
    if (!length) return std::nullopt;
    return read_bytes(socket, static_cast<std::size_t>(static_cast<unsigned char>((*length)[0])) << 8 |
                                  static_cast<unsigned char>((*length)[1]));
}

std::optional<FakeSaslauthd::Asked> read_request(int socket) {
    std::vector<std::string> parts;
    for (int i = 0; i < 4; ++i) {
        auto part = read_part(socket);
        if (!part) return std::nullopt;
        parts.push_back(std::move(*part));
    }
    return FakeSaslauthd::Asked{parts[0], parts[1], parts[2], parts[3]};
}

}  // namespace

FakeSaslauthd::FakeSaslauthd(std::string path, Answer answer)
    : path_(std::move(path)), listener_(listen_at(path_)), answer_(std::move(answer)) {
    int pipe[2];
    REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
    ended_ = os::Descriptor(pipe[0]);
    ending_ = os::Descriptor(pipe[1]);
    thread_ = std::thread([this] { serve(); });
}

FakeSaslauthd::~FakeSaslauthd() {
    ending_ = os::Descriptor();
    thread_.join();
    ::unlink(path_.c_str());
}

void FakeSaslauthd::answer(Answer answer) {
    const std::lock_guard lock(guard_);
    answer_ = std::move(answer);
}

std::vector<FakeSaslauthd::Asked> FakeSaslauthd::asked() {
    const std::lock_guard lock(guard_);
    return std::exchange(asked_, {});
}

std::string FakeSaslauthd::framed(const std::string& text) {
    return std::string{static_cast<char>(text.size() >> 8), static_cast<char>(text.size() & 0xff)} + text;
}

FakeSaslauthd::Answer FakeSaslauthd::knows(const std::string& username, const std::string& password) {
    return [=](const Asked& asked) {
        return says(asked.username == username && asked.password == password ? "OK" : "NO wrong");
    };
}

void FakeSaslauthd::serve() {
    while (true) {
        pollfd watched[] = {{listener_.get(), POLLIN, 0}, {ended_.get(), POLLIN, 0}};
        if (::poll(watched, 2, -1) < 0) continue;
        if (watched[1].revents != 0) return;
        converse(os::Descriptor(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)));
    }
}

void FakeSaslauthd::converse(os::Descriptor connection) {
    const auto request = connection ? read_request(connection.get()) : std::nullopt;
    if (!request) return;
    Answer answer;
    {
        const std::lock_guard lock(guard_);
        asked_.push_back(*request);
        answer = answer_;
    }
    const Reply reply = answer ? answer(*request) : says("OK");
    for (const std::string& piece : reply.pieces) ::send(connection.get(), piece.data(), piece.size(), MSG_NOSIGNAL);
    if (reply.hangs) hanging_.push_back(std::move(connection));
}

}  // namespace postern::test
