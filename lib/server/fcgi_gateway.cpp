// FastCGI: which of the two ways this process was started, and the loop that accepts requests until it is told to stop.
//
// The order of things here was measured, not guessed: libfcgi truncates a body silently when a signal arrives while it
// reads one, and its own way to shut down can miss a signal that comes just before it waits. So signals are let in at
// one point only, where the process waits for work and nothing is under way.
#include "server/fcgi_gateway.h"

#include <fcgiapp.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "server/fcgi_head.h"

namespace postern::server {
namespace {

constexpr int kListener = 0;   // FastCGI 1.0 §2.2
constexpr int kResponder = 1;  // the only role we play (§3.3); 2 is authorizer, 3 is filter
constexpr int kNoListener = -1;
constexpr timeval kPatience{30, 0};  // between two pieces of a body or an answer

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

class FcgiExchange final : public Exchange {
public:
    FcgiExchange(FCGX_Request& request, std::chrono::milliseconds reading_time)
        : request_(request), reading_time_(reading_time) {
        for (const int option : {SO_RCVTIMEO, SO_SNDTIMEO}) {
            setsockopt(request.ipcFd, SOL_SOCKET, option, &kPatience, sizeof kPatience);
        }
    }

    void read_variables(const std::vector<std::string>& also) override {
        variables_ = collect_variables(request_.envp, also);
    }
    const Variables& variables() const override { return variables_; }

    Body receive(std::size_t cap) override {
        const Alarm alarm(reading_time_);
        return receive_body(variables_, cap, StreamEnd::by_itself, [&](char* buffer, std::size_t size) {
            return alarm.rang() ? std::nullopt : read_some(buffer, size);
        });
    }

    void send(std::string_view wire) noexcept override {
        while (!wire.empty()) {
            const std::size_t piece = std::min<std::size_t>(wire.size(), std::numeric_limits<int>::max());
            if (FCGX_PutStr(wire.data(), static_cast<int>(piece), request_.out) < 0) break;
            wire.remove_prefix(piece);
        }
        FCGX_Finish_r(&request_);
    }

private:
    std::optional<std::size_t> read_some(char* buffer, std::size_t size) {
        const int got = FCGX_GetStr(buffer, static_cast<int>(size), request_.in);
        if (FCGX_GetError(request_.in) != 0) return std::nullopt;  // aborted, cut off or too slow: what came is no body
        return static_cast<std::size_t>(std::max(got, 0));
    }

    FCGX_Request& request_;
    std::chrono::milliseconds reading_time_;
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

bool is_unix(int socket) {
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    return getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0 && address.ss_family == AF_UNIX;
}

/// Looks at what the library will read next, and leaves it where it is. A head that stops in the middle is none: the
/// library would wait for the rest of it for ever.
bool has_sound_head([[maybe_unused]] int socket, [[maybe_unused]] std::chrono::milliseconds time) {
#ifdef SO_PEEK_OFF
    const int start = 0;
    if (setsockopt(socket, SOL_SOCKET, SO_PEEK_OFF, &start, sizeof start) != 0) return true;  // an old kernel
    std::optional<Alarm> alarm;  // something is there, and mostly it is all: the first look does not wait
    FcgiHead head;
    char buffer[16384];
    auto verdict = FcgiHead::Verdict::incomplete;
    while (verdict == FcgiHead::Verdict::incomplete && !(alarm && alarm->rang())) {
        const ssize_t got = recv(socket, buffer, sizeof buffer, MSG_PEEK);  // behind what it gave before
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        verdict = head.take({buffer, static_cast<std::size_t>(got)});
        if (!alarm && verdict == FcgiHead::Verdict::incomplete) alarm.emplace(time);
    }
    return verdict == FcgiHead::Verdict::good;
#else
    return true;  // nothing can be looked at twice here: left to the library
#endif
}

/// Whether nobody is to blame for an accept that failed: another process took the connection, or it broke.
bool is_passing(int error) { return error == EAGAIN || error == EINTR || error == ECONNABORTED; }

[[noreturn]] void fail_to_accept(int error) {
    throw std::system_error(error, std::generic_category(), "accepting requests");
}

/// The library accepts and reads in one call, so what comes over a Unix socket is accepted here. (Of a TCP listener it
/// looks at FCGI_WEB_SERVER_ADDRS, too, which is left to it.) False: no connection.
bool accept_unix(FCGX_Request& request, std::chrono::milliseconds time) {
    const int accepted = accept4(kListener, nullptr, nullptr, SOCK_CLOEXEC);
    if (accepted < 0 && !is_passing(errno)) fail_to_accept(errno);
    if (accepted < 0) return false;
    pollfd speaks{accepted, POLLIN, 0};
    if (poll(&speaks, 1, static_cast<int>(time.count())) <= 0) {
        close(accepted);
        return false;
    }
    request.ipcFd = accepted;
    request.keepConnection = 1;  // else the library begins by closing it, as the last request's
    return true;
}

/// A connection whose next request the library can read. False: there is none.
bool prepare_unix(FCGX_Request& request, std::chrono::milliseconds time) {
    if (request.ipcFd < 0 && !accept_unix(request, time)) return false;
    if (has_sound_head(request.ipcFd, time)) return true;
    FCGX_Free(&request, 1);
    return false;
}

/// False: nothing to answer.
bool accept_one(FCGX_Request& request) {
    const int result = FCGX_Accept_r(&request);
    if (result == 0 && request.role == kResponder) return true;
    if (result == 0) {
        FCGX_Finish_r(&request);
        return false;
    }
    // Without a listener the library cannot go on to the next connection when one breaks.
    const bool broken = request.listen_sock == kNoListener && result == -EBADF;
    if (broken || is_passing(-result)) return false;
    fail_to_accept(result < 0 && result > -4096 ? -result : EIO);
}

}  // namespace

Transport start_transport() {
    // After the answer the library waits up to two seconds for the peer to hang up; milliseconds are enough. Its other
    // wait, for a peer that has connected to begin to speak, must stay long: a web server that the machine's load holds
    // up between the two would lose the request.
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
    const bool accepts_here = is_unix(kListener);
    FCGX_Request request;
    if (FCGX_InitRequest(&request, accepts_here ? kNoListener : kListener, 0) != 0) {
        throw std::system_error(EIO, std::generic_category(), "the FastCGI library cannot be initialised");
    }
    std::int64_t answered = 0;
    while (answered != loop.max_requests && wait_for_work(request, waiting_mask)) {
        if (accepts_here && !prepare_unix(request, loop.reading_time)) continue;
        if (!accept_one(request)) continue;
        FcgiExchange exchange(request, loop.reading_time);
        loop.answer(exchange);
        loop.after_answer();
        ++answered;
    }
    FCGX_Free(&request, 1);
}

}  // namespace postern::server
