// FastCGI: which of the two ways this process was started, and the loop that accepts requests until it is told to stop.
//
// The order of things here was measured, not guessed: libfcgi's own way to shut down can miss a signal that comes just
// before it waits. So signals are let in at one point only, where the process waits for work and nothing is under way.
//
// What comes from the socket is read here and looked at (fcgi_request.h). The library gets the head of a request when
// it is good, from a socket of this process's own, and writes the answer.
#include "server/fcgi_gateway.h"

#include <arpa/inet.h>
#include <fcgiapp.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "server/fcgi_request.h"
#include "util/text.h"

namespace postern::server {
namespace {

constexpr int kListener = 0;         // FastCGI 1.0 §2.2
constexpr timeval kPatience{30, 0};  // between two pieces of an answer
constexpr std::size_t kPiece = 16384;

volatile std::sig_atomic_t stop_requested = 0;  // the only way a signal handler can speak

extern "C" void request_stop(int) { stop_requested = 1; }

void set_handler(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

/// Blocks the stop signals; gives the mask to wait with.
sigset_t block_stop_signals() {
    sigset_t stop_signals;
    sigset_t before;
    sigemptyset(&stop_signals);
    sigaddset(&stop_signals, SIGTERM);
    sigaddset(&stop_signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &stop_signals, &before);
    sigdelset(&before, SIGTERM);
    sigdelset(&before, SIGUSR1);
    return before;
}

extern "C" void interrupt_reading(int) {}

/// While it lives and its time is over, a blocking read of this process is interrupted again and again: the library
/// reads in a loop of its own, and a limit for each piece is none for all of them.
class Alarm {
public:
    explicit Alarm(std::chrono::milliseconds time) : end_(std::chrono::steady_clock::now() + time) {
        struct sigaction action {};
        action.sa_handler = interrupt_reading;  // no SA_RESTART: the call must come back
        sigemptyset(&action.sa_mask);
        sigaction(SIGALRM, &action, &former_);
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
        const auto rest = std::chrono::duration_cast<std::chrono::microseconds>(time - seconds);
        // Repeated, since a signal that arrives just before the call would be lost.
        const itimerval timer{{0, kRepeatMicroseconds}, {seconds.count(), rest.count()}};
        setitimer(ITIMER_REAL, &timer, nullptr);
    }
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm() {
        const itimerval never{};
        setitimer(ITIMER_REAL, &never, nullptr);
        sigaction(SIGALRM, &former_, nullptr);
    }

    bool rang() const { return std::chrono::steady_clock::now() >= end_; }

private:
    static constexpr suseconds_t kRepeatMicroseconds = 100'000;
    std::chrono::steady_clock::time_point end_;
    struct sigaction former_ {};
};

[[noreturn]] void fail(int error, const char* what) { throw std::system_error(error, std::generic_category(), what); }

/// What a web server writes, as far as it was not used yet.
class Input {
public:
    void start_over() { unread_.clear(); }
    bool has_more() const { return !unread_.empty(); }

    /// At most so many bytes; 0 at the end, after an error, and when the time is over.
    std::size_t take(int socket, const std::optional<Alarm>& alarm, char* buffer, std::size_t size) {
        if (unread_.empty() && !read_more(socket, alarm)) return 0;
        const std::size_t taken = std::min(size, unread_.size());
        std::copy_n(unread_.begin(), taken, buffer);
        unread_.erase(0, taken);
        return taken;
    }

    /// The head of the next request. False: it is none.
    bool take_head(int socket, std::chrono::milliseconds time, FcgiHead& head) {
        std::optional<Alarm> alarm;  // something is there, and mostly it is all: the first look does not wait
        while (read_more(socket, alarm)) {
            const std::size_t before = head.size();
            const auto verdict = head.take(unread_);
            unread_.erase(0, head.size() - before);
            if (verdict != FcgiHead::Verdict::incomplete) return verdict == FcgiHead::Verdict::good;
            if (!alarm) alarm.emplace(time);
        }
        return false;
    }

private:
    bool read_more(int socket, const std::optional<Alarm>& alarm) {
        std::array<char, kPiece> piece;
        while (!alarm || !alarm->rang()) {
            const ssize_t got = ::read(socket, piece.data(), piece.size());
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) return false;
            unread_.append(piece.data(), static_cast<std::size_t>(got));
            return true;
        }
        return false;
    }

    std::string unread_;
};

class FcgiExchange final : public Exchange {
public:
    FcgiExchange(FCGX_Request& request, Input& input, std::chrono::milliseconds reading_time)
        : request_(request),
          input_(input),
          reading_time_(reading_time),
          body_(static_cast<std::size_t>(request.requestId),
                [this](char* buffer, std::size_t size) { return input_.take(request_.ipcFd, alarm_, buffer, size); }) {}

    void read_variables(const std::vector<std::string>& also) override {
        variables_ = collect_variables(request_.envp, also);
    }
    const Variables& variables() const override { return variables_; }

    Body receive(std::size_t cap) override {
        alarm_.emplace(reading_time_);
        Body body = receive_body(variables_, cap, StreamEnd::by_itself, [&](char* buffer, std::size_t size) {
            return alarm_->rang() ? std::nullopt : body_.read(buffer, size);
        });
        alarm_.reset();
        return body;
    }

    void send(std::string_view wire) noexcept override {
        while (!wire.empty()) {
            const std::size_t piece = std::min<std::size_t>(wire.size(), std::numeric_limits<int>::max());
            if (FCGX_PutStr(wire.data(), static_cast<int>(piece), request_.out) < 0) break;
            wire.remove_prefix(piece);
        }
        // What is left of this request would be taken for the next one.
        if (!body_.has_ended() || input_.has_more()) request_.keepConnection = 0;
        FCGX_Finish_r(&request_);
    }

private:
    FCGX_Request& request_;
    Input& input_;
    std::chrono::milliseconds reading_time_;
    std::optional<Alarm> alarm_;
    FcgiBody body_;
    Variables variables_;
};

/// Waits for a connection, or for the next request on one that the web server keeps open. False: told to stop.
bool wait_for_work(FCGX_Request& request, const sigset_t& waiting_mask) {
    while (stop_requested == 0) {
        pollfd ready[] = {{kListener, POLLIN, 0}, {request.ipcFd, POLLIN, 0}};  // a negative descriptor is skipped
        if (ppoll(ready, 2, nullptr, &waiting_mask) < 0) {
            if (errno == EINTR) continue;
            throw std::system_error(errno, std::generic_category(), "waiting for requests");
        }
        // Somebody else waits while the kept connection is idle: holding on to it would block this process for all
        // others.
        if (ready[0].revents != 0 && ready[1].revents == 0 && request.ipcFd >= 0) FCGX_Free(&request, 1);
        return true;
    }
    return false;
}

/// The library's own rule: FCGI_WEB_SERVER_ADDRS names the web servers that may connect over TCP; without it all may.
bool is_welcome(const sockaddr_storage& peer) {
    const char* listed = std::getenv("FCGI_WEB_SERVER_ADDRS");
    if (listed == nullptr || peer.ss_family != AF_INET) return true;
    char text[INET_ADDRSTRLEN] = "";
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(peer).sin_addr, text, sizeof text);
    const auto addresses = util::split(listed, ',');
    return std::ranges::any_of(addresses, [&](std::string_view address) { return util::trim(address) == text; });
}

/// A new connection; -1 when there is none: another process took it, it broke, it is silent or not welcome.
int accept_connection(std::chrono::milliseconds time) {
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    const int accepted = accept4(kListener, reinterpret_cast<sockaddr*>(&peer), &length, SOCK_CLOEXEC);
    if (accepted < 0 && errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) fail(errno, "accepting requests");
    if (accepted < 0) return -1;
    for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO})
        setsockopt(accepted, SOL_SOCKET, option, &kPatience, sizeof kPatience);
    const int now = 1;
    if (peer.ss_family != AF_UNIX) setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
    pollfd speaks{accepted, POLLIN, 0};
    if (is_welcome(peer) && poll(&speaks, 1, static_cast<int>(time.count())) > 0) return accepted;
    close(accepted);
    return -1;
}

/// Lets the library read a good head, from where nothing else can come, and answer to where it came from.
void hand_over(FCGX_Request& request, const FcgiHead& head, const Feed& feed) {
    const int connection = request.ipcFd;
    const std::string bytes = head.rewritten();
    if (::write(feed.in(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
        fail(EIO, "handing a request to the FastCGI library");
    request.ipcFd = feed.out();
    request.keepConnection = 1;  // else the library begins by closing it, as the last request's
    if (FCGX_Accept_r(&request) != 0) fail(EIO, "the FastCGI library refuses a request");
    request.ipcFd = connection;
}

/// The next request, of a new connection or a kept one. False: there is none.
bool take_request(FCGX_Request& request, Input& input, const Loop& loop) {
    if (request.ipcFd < 0) {
        input.start_over();
        request.ipcFd = accept_connection(loop.reading_time);
    }
    if (request.ipcFd < 0) return false;
    FcgiHead head;
    if (!input.take_head(request.ipcFd, loop.reading_time, head)) {
        FCGX_Free(&request, 1);
        return false;
    }
    hand_over(request, head, loop.feed);
    return true;
}

}  // namespace

Feed::Feed() {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends_) != 0) fail(errno, "making a pair of sockets");
    const int room = static_cast<int>(2 * kLongestHead);  // a head is written at once, before anybody reads it
    setsockopt(ends_[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    const int flags = fcntl(ends_[0], F_GETFL);
    fcntl(ends_[0], F_SETFL, flags | O_NONBLOCK);
}

Feed::~Feed() {
    for (const int end : ends_) close(end);
}

Transport start_transport() {
    // After the answer the library waits up to two seconds for the peer to hang up; milliseconds are enough.
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "50", 0);
    const Transport transport = FCGX_IsCGI() != 0 ? Transport::cgi : Transport::fastcgi;
    // The library has just put its own handlers there.
    void (*const on_stop)(int) = transport == Transport::cgi ? SIG_DFL : request_stop;
    set_handler(SIGTERM, on_stop);
    set_handler(SIGUSR1, on_stop);
    set_handler(SIGPIPE, SIG_IGN);
    return transport;
}

void accept_requests(const Loop& loop) {
    const sigset_t waiting_mask = block_stop_signals();
    // Several processes wait on one listener: whoever comes second must not block in accept.
    const int flags = fcntl(kListener, F_GETFL);
    if (flags < 0 || fcntl(kListener, F_SETFL, flags | O_NONBLOCK) < 0) {
        throw std::system_error(errno, std::generic_category(), "the listening socket on descriptor 0");
    }
    FCGX_Request request;
    if (FCGX_InitRequest(&request, kListener, 0) != 0) fail(EIO, "the FastCGI library cannot be initialised");
    Input input;
    std::int64_t answered = 0;
    while (answered != loop.max_requests && wait_for_work(request, waiting_mask)) {
        if (!take_request(request, input, loop)) continue;
        FcgiExchange exchange(request, input, loop.reading_time);
        loop.answer(exchange);
        loop.after_answer();
        ++answered;
    }
    FCGX_Free(&request, 1);
}

}  // namespace postern::server
