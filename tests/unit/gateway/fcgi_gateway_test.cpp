#include "gateway/exchange.h"

#include <doctest/doctest.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <exception>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace postern::gateway {
namespace {

// Record types and roles of FastCGI 1.0 §8.
constexpr unsigned char kBegin = 1, kAbort = 2, kEnd = 3, kParams = 4, kStdin = 5, kStdout = 6;
constexpr unsigned char kResponder = 1, kAuthorizer = 2;

std::string record(unsigned char type, const std::string& content) {
    const auto high = static_cast<char>(content.size() / 256);
    const auto low = static_cast<char>(content.size() % 256);
    return std::string{1, static_cast<char>(type), 0, 1, high, low, 0, 0} + content;
}

std::string begin(unsigned char role, bool keep) {
    return record(kBegin, std::string{0, static_cast<char>(role), static_cast<char>(keep ? 1 : 0), 0, 0, 0, 0, 0});
}

std::string pair(const std::string& name, const std::string& value) {
    return std::string{static_cast<char>(name.size()), static_cast<char>(value.size())} + name + value;
}

/// The parameters of a request that announces `length` bytes.
std::string params(std::size_t length, const std::string& more = {}) {
    return record(kParams, pair("CONTENT_LENGTH", std::to_string(length)) + more) + record(kParams, "");
}

std::string whole_request(const std::string& body, bool keep = false) {
    return begin(kResponder, keep) + params(body.size()) + (body.empty() ? "" : record(kStdin, body)) +
           record(kStdin, "");
}

/// One connection of a web server.
class Peer {
public:
    explicit Peer(const sockaddr_un& address) : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
        REQUIRE(connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    }
    Peer(const Peer&) = delete;
    Peer& operator=(const Peer&) = delete;
    ~Peer() { close(socket_); }

    void send_bytes(const std::string& bytes) { REQUIRE(try_to_send(bytes)); }
    bool try_to_send(const std::string& bytes) {
        return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
    }

    /// Standard output up to the end of the request, or to the end of the connection.
    std::string answer() {
        std::string output;
        for (;;) {
            const std::string header = take(8);
            if (header.size() < 8) return output;
            const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(header[at]); };
            const std::string content = take(byte(4) * 256U + byte(5));
            take(byte(6));
            if (byte(1) == kEnd) return output;
            if (byte(1) == kStdout) output += content;
        }
    }

    bool at_end() { return take(1).empty(); }

    /// Waits until the process has read everything that was sent: it is in the middle of what follows.
    void wait_until_read() {
        int unread = 1;
        while (ioctl(socket_, SIOCOUTQ, &unread) == 0 && unread > 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        REQUIRE(unread == 0);
    }

private:
    std::string take(std::size_t count) {
        std::string bytes(count, '\0');
        if (count == 0) return bytes;  // recv would wait all the same
        const ssize_t got = recv(socket_, bytes.data(), count, MSG_WAITALL);
        bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
        return bytes;
    }
    int socket_;
};

/// More than a socket and the library's buffer hold.
const std::string kLongAnswer(5'000'000, 'a');

/// A process of the loop, with a listener on descriptor 0 as a web server gives it. Its answer is REMOTE_USER, and the
/// state and size of the body; for "long", the long one.
class Worker {
public:
    explicit Worker(std::optional<std::int64_t> max_requests = std::nullopt,
                    std::chrono::milliseconds reading_time = std::chrono::seconds(10),
                    std::chrono::milliseconds writing_time = std::chrono::seconds(30), bool authorizes = false) {
        address_.sun_family = AF_UNIX;
        const std::string path = "/tmp/postern-fcgi-test." + std::to_string(getpid());
        path.copy(address_.sun_path, sizeof address_.sun_path - 1);
        unlink(address_.sun_path);
        const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
        REQUIRE(bind(listener, reinterpret_cast<const sockaddr*>(&address_), sizeof address_) == 0);
        REQUIRE(listen(listener, 16) == 0);
        REQUIRE(pipe(began_) == 0);
        process_ = fork();
        REQUIRE(process_ >= 0);
        if (process_ == 0)
            _exit(child({.answer = {},
                         .after_answer = {},
                         .max_requests = max_requests,
                         .reading_time = reading_time,
                         .writing_time = writing_time,
                         .authorizes = authorizes},
                        listener));
        close(listener);
    }
    ~Worker() {
        if (process_ > 0) {
            kill(process_, SIGKILL);
            waitpid(process_, nullptr, 0);
        }
        for (const int descriptor : began_) close(descriptor);
        unlink(address_.sun_path);
    }

    const sockaddr_un& address() const { return address_; }
    std::string ask(const std::string& request) {
        Peer peer(address_);
        peer.send_bytes(request);
        return peer.answer();
    }
    void wait_until_a_request_began() {
        char byte = 0;
        REQUIRE(read(began_[0], &byte, 1) == 1);
    }
    void signal(int number) { REQUIRE(kill(process_, number) == 0); }
    /// How the process ended: its exit code, or minus the signal.
    int wait() {
        int status = 0;
        REQUIRE(waitpid(process_, &status, 0) == process_);
        process_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }

private:
    int child(Loop loop, int listener) {
        dup2(listener, 0);
        close(listener);
        if (start_transport() != Transport::fastcgi) return 3;
        try {
            loop.answer = [this](Exchange& exchange) { answer(exchange); };
            loop.after_answer = [this] { return next_; };
            accept_requests(loop);
            return 0;
        } catch (const std::exception&) {
            return 2;
        }
    }
    void answer(Exchange& exchange) {
        if (write(began_[1], "x", 1) != 1) _exit(4);
        exchange.read_variables({"REMOTE_USER"});
        const Body body = exchange.receive(4096);
        if (exchange.variables().get("REMOTE_USER") == "last") next_ = Next::end;
        if (exchange.variables().get("REMOTE_USER") == "long") return exchange.send(kLongAnswer);
        if (exchange.variables().is_question) return exchange.send("question");
        exchange.send(std::string(exchange.variables().get("REMOTE_USER")) +
                      (body.state == BodyState::whole ? "whole " : "refused ") + std::to_string(body.bytes.size()));
    }

    sockaddr_un address_{};
    int began_[2] = {-1, -1};
    pid_t process_ = -1;
    Next next_ = Next::accept;
};

TEST_CASE("accept_requests: answers one request after another, with and without a body") {
    Worker worker;
    CHECK(worker.ask(whole_request("")) == "whole 0");
    CHECK(worker.ask(whole_request("hello")) == "whole 5");
    CHECK(worker.ask(whole_request(std::string(5000, 'x'))) == "refused 0");
    CHECK(worker.ask(whole_request("hello again")) == "whole 11");
}

TEST_CASE("accept_requests: variables of the operator's choice are read, of this request and no other") {
    Worker worker;
    const std::string end = record(kStdin, "");
    const auto ask = [&](const std::string& more) {
        return worker.ask(begin(kResponder, false) + params(3, more) + record(kStdin, "abc") + end);
    };
    CHECK(ask(pair("REMOTE_USER", "alice ")) == "alice whole 3");
    CHECK(ask(pair("HTTP_REMOTE_USER", "eve ")) == "whole 3");
}

TEST_CASE("accept_requests: a web server that load holds up between connecting and writing does not lose its request") {
    Worker worker;
    Peer peer(worker.address());
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    peer.send_bytes(whole_request("hello"));
    CHECK(peer.answer() == "whole 5");
}

TEST_CASE("accept_requests: SIGTERM and SIGUSR1 end an idle process at once, with exit code 0") {
    for (const int number : {SIGTERM, SIGUSR1}) {
        CAPTURE(number);
        Worker worker;
        CHECK(worker.ask(whole_request("")) == "whole 0");
        worker.signal(number);
        CHECK(worker.wait() == 0);
    }
}

TEST_CASE(
    "accept_requests: SIGTERM in the middle of a body lets the request finish, untruncated, and then ends the process "
    "[Q04]") {
    Worker worker;
    Peer peer(worker.address());
    peer.send_bytes(begin(kResponder, false) + params(10) + record(kStdin, "hello"));
    worker.wait_until_a_request_began();
    worker.signal(SIGTERM);
    peer.send_bytes(record(kStdin, "world") + record(kStdin, ""));
    CHECK(peer.answer() == "whole 10");
    CHECK(worker.wait() == 0);
}

TEST_CASE(
    "accept_requests: a web server that aborts, hangs up or closes before reading leaves the process able to serve") {
    Worker worker;
    const std::string half = begin(kResponder, false) + params(10) + record(kStdin, "hello");
    CHECK(worker.ask(half + record(kAbort, "")) != "whole 5");
    CHECK(worker.ask(half + record(kStdin, "")) == "refused 0");
    for (int i = 0; i < 20; ++i) {
        Peer peer(worker.address());
        peer.send_bytes(i % 2 == 0 ? half : whole_request("hello"));
    }
    CHECK(worker.ask(whole_request("hello")) == "whole 5");
}

TEST_CASE("accept_requests: a peer that sends a body a byte at a time is cut off, and others are served [Q03]") {
    Worker worker(std::nullopt, std::chrono::milliseconds(1000));
    for (const std::size_t length :
         {std::size_t{4000}, std::size_t{500000}}) {  // one that would be read, one that is drained
        Peer slow(worker.address());
        slow.send_bytes(begin(kResponder, false) + params(length));
        std::atomic<bool> cut_off = false;
        std::thread trickle([&] {
            while (!cut_off && slow.try_to_send(record(kStdin, "x"))) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
            }
        });
        CHECK(slow.answer() == "refused 0");  // never, if each byte bought more time
        cut_off = true;
        trickle.join();
        CHECK(worker.ask(whole_request("hello")) == "whole 5");
    }
    // What is silent altogether is cut off, too; and the timer is gone afterwards.
    Peer silent(worker.address());
    silent.send_bytes(begin(kResponder, false) + params(10) + record(kStdin, "hello"));
    CHECK(silent.answer() == "refused 0");
    std::this_thread::sleep_for(std::chrono::milliseconds(1200));
    CHECK(worker.ask(whole_request("hello")) == "whole 5");
}

TEST_CASE("accept_requests: a peer that falls silent among the variables is hung up on, and others are served [X24]") {
    const std::string start = begin(kResponder, false);
    for (const std::string& piece : {start.substr(0, 3), start, start + params(0).substr(0, 9),
                                     start + record(kParams, pair("CONTENT_LENGTH", "0"))}) {
        CAPTURE(piece.size());
        Worker worker(std::nullopt, std::chrono::milliseconds(500));
        Peer silent(worker.address());
        silent.send_bytes(piece);
        CHECK(worker.ask(whole_request("other")) == "whole 5");
        CHECK(silent.answer() == "");
    }
}

TEST_CASE("accept_requests: bytes that are not FastCGI and unsupported roles are dropped") {
    Worker worker;
    CHECK(worker.ask("GET / HTTP/1.0\r\n\r\n") == "");
    CHECK(worker.ask(begin(kAuthorizer, false) + params(0) + record(kStdin, "")) == "");
    CHECK(worker.ask(whole_request("hello")) == "whole 5");
}

TEST_CASE("accept_requests: a question of the role AUTHORIZER is answered without a body that nobody sends [GATE-10]") {
    Worker gate(std::nullopt, std::chrono::seconds(10), std::chrono::seconds(30), true);
    for (const bool keep : {false, true}) {
        CAPTURE(keep);
        // lighttpd announces the length of a body that it does not send.
        Peer lighttpd(gate.address());
        lighttpd.send_bytes(begin(kAuthorizer, keep) + params(10));
        CHECK(lighttpd.answer() == "question");
        CHECK(lighttpd.at_end());
        Peer apache(gate.address());
        apache.send_bytes(begin(kAuthorizer, keep) + params(0) + record(kStdin, ""));
        CHECK(apache.answer() == "question");
    }
    CHECK(gate.ask(whole_request("hello")) == "whole 5");
    constexpr unsigned char kFilter = 3;
    CHECK(gate.ask(begin(kFilter, false) + params(0) + record(kStdin, "")) == "");
}

TEST_CASE(
    "accept_requests: SIGTERM in the middle of the variables lets the request finish, and then ends the process "
    "[Q04]") {
    const std::string request = whole_request("hello");
    for (const std::size_t cut : {std::size_t{3}, std::size_t{16}, std::size_t{30}}) {
        CAPTURE(cut);
        Worker stopped;
        Peer slow(stopped.address());
        slow.send_bytes(request.substr(0, cut));
        slow.wait_until_read();
        stopped.signal(SIGTERM);
        slow.send_bytes(request.substr(cut));
        CHECK(slow.answer() == "whole 5");
        CHECK(stopped.wait() == 0);
    }
}

TEST_CASE("accept_requests: SIGTERM in the middle of an answer lets it be written, and then ends the process [Q04]") {
    Worker worker;
    Peer peer(worker.address());
    peer.send_bytes(begin(kResponder, false) + params(0, pair("REMOTE_USER", "long")) + record(kStdin, ""));
    worker.wait_until_a_request_began();
    worker.signal(SIGTERM);
    CHECK(peer.answer() == kLongAnswer);
    CHECK(worker.wait() == 0);
}

TEST_CASE("accept_requests: SIGTERM ends a process whose connections are kept and idle") {
    Worker worker;
    Peer kept(worker.address());
    kept.send_bytes(whole_request("one", true));
    CHECK(kept.answer() == "whole 3");
    worker.signal(SIGTERM);
    CHECK(worker.wait() == 0);
    CHECK(kept.at_end());
}

TEST_CASE("accept_requests: a peer that does not read its answer is hung up on, and others are served") {
    Worker worker(std::nullopt, std::chrono::seconds(10), std::chrono::milliseconds(500));
    Peer silent(worker.address());
    silent.send_bytes(begin(kResponder, false) + params(0, pair("REMOTE_USER", "long")) + record(kStdin, ""));
    worker.wait_until_a_request_began();
    CHECK(worker.ask(whole_request("other")) == "whole 5");
    CHECK(silent.answer().size() < kLongAnswer.size());
}

TEST_CASE("accept_requests: a peer that goes on writing after its answer is hung up on, and others are served") {
    Worker worker;
    Peer endless(worker.address());
    std::atomic<bool> ended = false;
    std::thread flood([&] {
        endless.try_to_send(begin(kResponder, true) + params(5'000'000));
        while (!ended && endless.try_to_send(record(kStdin, "x"))) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    });
    endless.try_to_send("");
    CHECK(worker.ask(whole_request("other")) == "whole 5");
    ended = true;
    flood.join();
}

TEST_CASE("accept_requests: an answer of any size arrives whole, over one connection as over many") {
    Worker worker;
    const std::string request = begin(kResponder, true) + params(0, pair("REMOTE_USER", "long")) + record(kStdin, "");
    Peer kept(worker.address());
    for (int i = 0; i < 3; ++i) {
        kept.send_bytes(request);
        CHECK(kept.answer() == kLongAnswer);
        CHECK(worker.ask(request) == kLongAnswer);
    }
}

TEST_CASE("accept_requests: a kept connection serves again, and while idle keeps no other waiting [X28]") {
    Worker worker;
    Peer kept(worker.address());
    for (int i = 0; i < 3; ++i) {
        kept.send_bytes(whole_request("one", true));
        CHECK(kept.answer() == "whole 3");
        CHECK(worker.ask(whole_request("other")) == "whole 5");
    }
    kept.send_bytes(whole_request("last", false));
    CHECK(kept.answer() == "whole 4");
    CHECK(kept.at_end());
}

TEST_CASE("accept_requests: what is left of a request on a kept connection is not taken for the next one") {
    Worker worker;
    Peer kept(worker.address());
    kept.send_bytes(begin(kResponder, true) + params(10) + record(kStdin, "hello") + record(kAbort, ""));
    CHECK(kept.answer() == "refused 0");
    CHECK(kept.at_end());
    CHECK(worker.ask(whole_request("hello")) == "whole 5");
}

TEST_CASE("accept_requests: only so many connections are kept; others get their answer and are closed [X28]") {
    Worker worker;
    constexpr std::size_t kMost = 23;
    std::vector<std::unique_ptr<Peer>> kept;
    const auto ask = [](Peer& peer) {
        peer.send_bytes(whole_request("one", true));
        return peer.answer();
    };
    for (std::size_t i = 0; i < kMost; ++i) {
        kept.push_back(std::make_unique<Peer>(worker.address()));
        REQUIRE(ask(*kept.back()) == "whole 3");
    }
    for (int i = 0; i < 3; ++i) {
        Peer more(worker.address());
        CHECK(ask(more) == "whole 3");
        CHECK(more.at_end());
    }
    for (const auto& peer : kept) CHECK(ask(*peer) == "whole 3");
    kept.erase(kept.begin(), kept.begin() + 10);  // what the web server closes makes room, once its turn has come
    for (int i = 0; i < 2; ++i) CHECK(worker.ask(whole_request("other")) == "whole 5");
    Peer again(worker.address());
    for (int i = 0; i < 2; ++i) CHECK(ask(again) == "whole 3");
}

TEST_CASE("accept_requests: ends after the last of max_requests") {
    Worker worker(2);
    CHECK(worker.ask(whole_request("a")) == "whole 1");
    CHECK(worker.ask(whole_request("b")) == "whole 1");
    CHECK(worker.wait() == 0);
}

TEST_CASE("accept_requests: ends after an answer when it is told to") {
    Worker worker;
    CHECK(worker.ask(whole_request("a")) == "whole 1");
    const std::string last = params(0, pair("REMOTE_USER", "last"));
    CHECK(worker.ask(begin(kResponder, false) + last + record(kStdin, "")) == "lastwhole 0");
    CHECK(worker.wait() == 0);
}

}  // namespace
}  // namespace postern::gateway
