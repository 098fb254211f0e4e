// FastCGI: which of the two ways this process was started, and the loop that accepts requests until it is told to stop.
//
// Signals are let in at one point only, where the process waits for work and nothing is under way: so none is missed
// just before a wait, and none cuts a request in two.
#include "gateway/fcgi_gateway.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <csignal>
#include <system_error>

#include "gateway/fcgi_connection.h"

namespace postern::gateway {
namespace {

using std::chrono::steady_clock;

constexpr int kListener = 0;  // FastCGI 1.0 §2.2

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

class FcgiExchange final : public Exchange {
public:
    FcgiExchange(FcgiConnection& connection, const FcgiHead& head, std::chrono::milliseconds reading_time)
        : connection_(connection),
          head_(head),
          end_(steady_clock::now() + reading_time),
          body_(head.id(), [this](char* buffer, std::size_t size) { return connection_.read(buffer, size, end_); }) {}

    void read_variables(const std::vector<std::string>& also) override {
        variables_ = collect_variables(head_.variables(), also);
    }
    const Variables& variables() const override { return variables_; }

    Body receive(std::size_t cap) override {
        return receive_body(variables_, cap, StreamEnd::by_itself,
                            [&](char* buffer, std::size_t size) { return body_.read(buffer, size); });
    }

    void send(std::string_view wire) noexcept override try {
        const bool is_written = connection_.write(fcgi_answer(head_.id(), wire));
        const bool is_read = body_.has_ended() && !connection_.has_unread();
        if (!is_read) {
            connection_.end();  // what is left of this request would be taken for the next one
        } else if (!is_written || !head_.keeps_connection()) {
            connection_.close();
        }
    } catch (...) {  // no memory
        connection_.close();
    }

private:
    FcgiConnection& connection_;
    const FcgiHead& head_;
    Deadline end_;
    FcgiBody body_;
    Variables variables_;
};

enum class Work {
    none,          ///< told to stop
    newcomer,      ///< somebody waits to be accepted
    next_request,  ///< on the connection that the web server keeps open
};

Work wait_for_work(const FcgiConnection& connection, const sigset_t& waiting_mask) {
    while (stop_requested == 0) {
        pollfd ready[] = {{kListener, POLLIN, 0}, {connection.socket(), POLLIN, 0}};  // a negative one is skipped
        if (ppoll(ready, 2, nullptr, &waiting_mask) >= 0)
            return ready[1].revents != 0 ? Work::next_request : Work::newcomer;
        if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waiting for requests");
    }
    return Work::none;
}

/// False: there is none.
bool take_head(FcgiConnection& connection, Work work, std::chrono::milliseconds reading_time, FcgiHead& head) {
    // Holding on to a kept connection that is idle would block this process for everybody who waits; but another
    // process may be faster.
    if (work == Work::newcomer && !connection.accept(kListener)) return false;
    if (connection.take_head(steady_clock::now() + reading_time, head)) return true;
    connection.close();
    return false;
}

/// A listener has no peer, and says so; standard input of a CGI program has one, or is no socket (FastCGI 1.0 §2.2).
bool is_listener(int descriptor) {
    sockaddr_storage peer{};
    socklen_t length = sizeof peer;
    return getpeername(descriptor, reinterpret_cast<sockaddr*>(&peer), &length) != 0 && errno == ENOTCONN;
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
    const sigset_t waiting_mask = block_stop_signals();
    // Several processes wait on one listener: whoever comes second must not block in accept.
    const int flags = fcntl(kListener, F_GETFL);
    if (flags < 0 || fcntl(kListener, F_SETFL, flags | O_NONBLOCK) < 0) {
        throw std::system_error(errno, std::generic_category(), "the listening socket on descriptor 0");
    }
    FcgiConnection connection;
    std::int64_t answered = 0;
    while (answered != loop.max_requests) {
        const Work work = wait_for_work(connection, waiting_mask);
        if (work == Work::none) return;
        FcgiHead head;
        if (!take_head(connection, work, loop.reading_time, head)) continue;
        FcgiExchange exchange(connection, head, loop.reading_time);
        loop.answer(exchange);
        loop.after_answer();
        ++answered;
    }
}

}  // namespace postern::gateway
