// FastCGI: which of the two ways this process was started, and the loop that accepts requests until it is told to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "gateway/exchange.h"

namespace postern::gateway {

/// Decides by descriptor 0 how the process was started. Once per process, before anything else waits: it sets the
/// handlers of SIGTERM, SIGUSR1 and SIGPIPE. Starts nothing of libfcgi, which would take over the signals of a CGI
/// program.
Transport start_transport();

/// The decision of a process that has answered a request.
enum class Next { accept, end };

struct Loop {
    std::function<void(Exchange&)> answer;  ///< must call `send`
    std::function<Next()> after_answer;
    std::optional<std::int64_t> max_requests;
    /// For the variables and the body of a request together. Some web servers pass a body on as it comes: without a
    /// limit for all of it, a client that trickles one byte at a time could hold the process indefinitely.
    std::chrono::milliseconds reading_time = std::chrono::seconds(10);
    /// For the peer to take a piece of the answer: eight kilobytes.
    std::chrono::milliseconds writing_time = std::chrono::seconds(30);
};

/// Answers requests until SIGTERM, SIGUSR1, the last of `max_requests` or Next::end; a request that has begun is
/// finished. Connections that the web server keeps open are waited for together with new ones, so an idle one blocks no
/// other client. Uses SIGALRM and ITIMER_REAL while it reads, and leaves the timer alone once `receive` has returned.
/// Throws std::system_error when libfcgi or the listening socket is unusable.
void accept_requests(const Loop& loop);

}  // namespace postern::gateway
