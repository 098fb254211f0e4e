// FastCGI: which of the two ways this process was started, and the loop that accepts requests until it is told to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "server/exchange.h"

namespace postern::server {

enum class Transport { cgi, fastcgi };

/// Decides by descriptor 0 and initialises the FastCGI library. Once per process, before anything else waits: it sets
/// the handlers of SIGTERM, SIGUSR1 and SIGPIPE.
Transport start_transport();

/// Where the library reads the heads of requests: a socket to which this process alone writes. Made before the process
/// gives up what it does not need.
class Feed {
public:
    Feed();
    Feed(const Feed&) = delete;
    Feed& operator=(const Feed&) = delete;
    ~Feed();

    int in() const { return ends_[0]; }
    int out() const { return ends_[1]; }

private:
    int ends_[2] = {-1, -1};
};

struct Loop {
    std::function<void(Exchange&)> answer;  ///< must call `send`
    std::function<void()> after_answer;
    std::optional<std::int64_t> max_requests;
    /// For the head of a request, and for its whole body. Some web servers pass a body on as it comes: whoever sends a
    /// byte now and then would occupy the process for as long as he likes.
    std::chrono::milliseconds reading_time = std::chrono::seconds(10);
    Feed feed = {};
};

/// Until SIGTERM, SIGUSR1 or the last of `max_requests`; a request that has begun is finished. Throws std::system_error
/// when the listening socket is unusable.
void accept_requests(const Loop& loop);

}  // namespace postern::server
