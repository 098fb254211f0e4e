// FastCGI: which of the two ways this process was started, and the loop that accepts requests until it is told to stop.
//
// libfcgi reads the requests and writes the answers; connections are accepted here, and each call of FCGX_Accept_r
// reads one request from one of them. SIGTERM and SIGUSR1 are let in only while the process waits for work: no signal
// is missed just before a wait, and none cuts a request in two.
#include "gateway/exchange.h"

#include <fcgiapp.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <optional>
#include <span>
#include <system_error>

#include "gateway/fcgi_accept.h"

namespace postern::gateway {
namespace {

using std::chrono::milliseconds;

constexpr int kListener = 0;     // FastCGI 1.0 §2.2
constexpr int kNoListener = -1;  // what libfcgi is given: it must not accept a second connection by itself
constexpr int kResponder = 1;    // FastCGI 1.0 §3.3; 3 is filter, which is never answered
constexpr int kAuthorizer = 2;
constexpr std::size_t kMostConnections = 24;
constexpr milliseconds kClosingTime{50};  // for a peer that still writes after it has its answer
constexpr milliseconds kTick{100};

volatile std::sig_atomic_t stop_requested = 0;  // the only way a signal handler can speak

extern "C" void request_stop(int) { stop_requested = 1; }

volatile std::sig_atomic_t timed_connection = -1;  // what the time limit is about

/// The process then reads the end of the stream; its output still arrives.
extern "C" void end_stream(int) {
    const int interrupted = errno;
    shutdown(timed_connection, SHUT_RD);
    errno = interrupted;
}

timeval timeval_of(milliseconds time) {
    return {time.count() / 1000, static_cast<suseconds_t>(time.count() % 1000 * 1000)};
}

void set_handler(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;  // no SA_RESTART: a call that waits comes back
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

/// While it lives, reading from the connection ends when the time is over. A limit for each read would be none for all
/// of them together.
class TimeLimit {
public:
    TimeLimit(int connection, milliseconds time) {
        timed_connection = connection;
        // Repeated, because libfcgi may be about to write when the first signal comes.
        const itimerval timer{timeval_of(kTick), timeval_of(time)};
        setitimer(ITIMER_REAL, &timer, nullptr);
    }
    TimeLimit(const TimeLimit&) = delete;
    TimeLimit& operator=(const TimeLimit&) = delete;
    ~TimeLimit() {
        const itimerval never{};
        setitimer(ITIMER_REAL, &never, nullptr);
        timed_connection = -1;
    }
};

class FcgiExchange final : public Exchange {
public:
    /// `reading` has been running since the connection was accepted, or since a kept one spoke.
    FcgiExchange(FCGX_Request& request, std::optional<TimeLimit>& reading) : request_(request), reading_(reading) {}

    void read_variables(const std::vector<std::string>& also) override {
        variables_ = collect_variables(request_.envp, also);
        variables_.is_question = request_.role == kAuthorizer;
    }
    const Variables& variables() const override { return variables_; }

    Body receive(std::size_t cap) override {
        // A web server sends an authorizer no standard input: whoever read it would wait for ever.
        if (variables_.is_question) {
            reading_.reset();
            return {};
        }
        Body body = receive_body(variables_, cap, StreamEnd::by_itself,
                                 [this](char* buffer, std::size_t size) { return read_some(buffer, size); });
        reading_.reset();
        return body;
    }

    void send(std::string_view wire) noexcept override {
        reading_.reset();
        while (!wire.empty()) {
            const std::size_t piece = std::min<std::size_t>(wire.size(), std::numeric_limits<int>::max());
            if (FCGX_PutStr(wire.data(), static_cast<int>(piece), request_.out) < 0) break;
            wire.remove_prefix(piece);
        }
        has_ended_ ? finish() : finish_unread();
    }

private:
    void finish() {
        // Nothing is left to read: a connection that is not kept is closed without waiting for the peer.
        if (request_.keepConnection == 0) FCGX_Detach(&request_);
        FCGX_Finish_r(&request_);
    }

    /// The rest of this request would be taken for the next one. Before it closes, libfcgi reads what still comes, so
    /// that the peer gets its answer.
    void finish_unread() {
        request_.keepConnection = 0;
        FCGX_FClose(request_.err);
        FCGX_FClose(request_.out);
        const TimeLimit closing(request_.ipcFd, kClosingTime);
        FCGX_Finish_r(&request_);
    }

    std::optional<std::size_t> read_some(char* buffer, std::size_t size) {
        const int got = FCGX_GetStr(buffer, static_cast<int>(size), request_.in);
        if (FCGX_GetError(request_.in) != 0) return std::nullopt;  // aborted, cut off or too slow: what came is no body
        has_ended_ = got < static_cast<int>(size);
        return static_cast<std::size_t>(got);
    }

    FCGX_Request& request_;
    std::optional<TimeLimit>& reading_;
    Variables variables_;
    bool has_ended_ = false;
};

/// The open connections: the one at work, and the idle ones that the web server keeps.
class Connections {
public:
    /// `writing_time` is for each piece of an answer.
    explicit Connections(milliseconds writing_time) : writing_time_(timeval_of(writing_time)) {
        for (FCGX_Request& request : requests_) FCGX_InitRequest(&request, kNoListener, 0);
    }
    Connections(const Connections&) = delete;
    Connections& operator=(const Connections&) = delete;
    ~Connections() {
        for (FCGX_Request& request : requests_) {
            FCGX_Detach(&request);
            FCGX_Free(&request, 1);
        }
    }

    /// Waits until a connection speaks, a kept one or a new one; nullptr: told to stop. They take turns, so that none
    /// waits for ever behind busy ones.
    FCGX_Request* wait(const sigset_t& waiting_mask) {
        while (stop_requested == 0) {
            const std::span<pollfd> open = all_open();
            if (ppoll(open.data(), open.size(), nullptr, &waiting_mask) >= 0) {
                if (FCGX_Request* ready = take_ready()) return ready;
            } else if (errno != EINTR) {
                throw std::system_error(errno, std::generic_category(), "waiting for requests");
            }
        }
        return nullptr;
    }

    /// Returns whether one more may be kept: a place is left for the next newcomer.
    bool has_room() const { return std::ranges::any_of(requests_, is_free); }

private:
    static bool is_free(const FCGX_Request& request) { return request.ipcFd < 0; }

    /// The listener, and each place up to the last that is taken; a negative descriptor is skipped.
    std::span<pollfd> all_open() {
        std::size_t count = 1;
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            polled_[i + 1] = {requests_[i].ipcFd, POLLIN, 0};
            if (!is_free(requests_[i])) count = i + 2;
        }
        polled_[0] = {kListener, POLLIN, 0};
        return {polled_.data(), count};
    }

    FCGX_Request* take_ready() {
        for (std::size_t tried = 0; tried < polled_.size(); ++tried) {
            const std::size_t at = next_;
            next_ = (next_ + 1) % polled_.size();
            if (polled_[at].revents != 0) return at == 0 ? accept_new() : &requests_[at - 1];
        }
        return nullptr;
    }

    FCGX_Request* accept_new() {
        const int accepted = accept_connection(kListener);
        if (accepted < 0) return nullptr;
        setsockopt(accepted, SOL_SOCKET, SO_SNDTIMEO, &writing_time_, sizeof writing_time_);
        FCGX_Request& request = *std::ranges::find_if(requests_, is_free);
        request.ipcFd = accepted;
        request.keepConnection = 1;  // FCGX_Accept_r closes others before it reads
        return &request;
    }

    std::array<FCGX_Request, kMostConnections> requests_;
    std::array<pollfd, kMostConnections + 1> polled_{};
    std::size_t next_ = 0;  // whose turn it is
    timeval writing_time_;
};

/// Reads the beginning and the variables of the next request. False: there is none, and the connection is closed.
bool read_head(FCGX_Request& request, bool authorizes) {
    if (FCGX_Accept_r(&request) != 0) return false;
    const bool is_answered = request.role == kResponder || (authorizes && request.role == kAuthorizer);
    // Variables that are cut off between two of them count as whole, but the error is kept.
    if (is_answered && FCGX_GetError(request.in) == 0) return true;
    FCGX_Free(&request, 1);
    return false;
}

/// A listener has no peer, and says so; standard input of a CGI program has one, or is no socket (FastCGI 1.0 §2.2).
/// FCGX_IsCGI would know, too, but takes the signals of a CGI program over first.
bool is_listener(int descriptor) {
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    return getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) != 0 && errno == ENOTCONN;
}

/// Handles SIGALRM, too. libfcgi handles the stop signals only where no other handler is.
void start_library() {
    setenv("LIBFCGI_OS_CLOSE_POLL_TIMEOUT", "50", 0);  // else two seconds, for a peer that does not hang up
    if (FCGX_Init() != 0) throw std::system_error(EIO, std::generic_category(), "libfcgi cannot be initialised");
    set_handler(SIGPIPE, SIG_IGN);
    set_handler(SIGALRM, end_stream);
}

/// Blocks the stop signals, and lets SIGALRM in; gives the mask to wait with.
sigset_t block_stop_signals() {
    sigset_t mask;
    sigprocmask(SIG_SETMASK, nullptr, &mask);
    for (const int signal : {SIGTERM, SIGUSR1, SIGALRM}) sigdelset(&mask, signal);
    const sigset_t waiting_mask = mask;
    for (const int signal : {SIGTERM, SIGUSR1}) sigaddset(&mask, signal);
    sigprocmask(SIG_SETMASK, &mask, nullptr);
    return waiting_mask;
}

}  // namespace

Transport start_transport() {
    const Transport transport = is_listener(kListener) ? Transport::fastcgi : Transport::cgi;
    void (*const on_stop)(int) = transport == Transport::cgi ? SIG_DFL : request_stop;
    set_handler(SIGTERM, on_stop);
    set_handler(SIGUSR1, on_stop);
    set_handler(SIGPIPE, SIG_IGN);
    return transport;
}

void accept_requests(const Loop& loop) {
    start_library();
    const sigset_t waiting_mask = block_stop_signals();
    // Several processes wait on one listener: the slower ones must not block in accept.
    const int flags = fcntl(kListener, F_GETFL);
    if (flags < 0 || fcntl(kListener, F_SETFL, flags | O_NONBLOCK) < 0) {
        throw std::system_error(errno, std::generic_category(), "the listening socket on descriptor 0");
    }
    Connections connections(loop.writing_time);
    std::int64_t answered = 0;
    while (answered != loop.max_requests) {
        FCGX_Request* request = connections.wait(waiting_mask);
        if (request == nullptr) return;
        std::optional<TimeLimit> reading(std::in_place, request->ipcFd, loop.reading_time);
        if (!read_head(*request, loop.authorizes)) continue;
        if (!connections.has_room()) request->keepConnection = 0;
        FcgiExchange exchange(*request, reading);
        loop.answer(exchange);
        if (loop.after_answer() == Next::end) return;
        ++answered;
    }
}

}  // namespace postern::gateway
