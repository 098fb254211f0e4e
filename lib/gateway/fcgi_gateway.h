// FastCGI: which of the two ways this process was started, and the loop that accepts requests until it is told to stop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "gateway/exchange.h"

namespace postern::gateway {

enum class Transport { cgi, fastcgi };

/// Decides by descriptor 0. Once per process, before anything else waits: it sets the handlers of SIGTERM, SIGUSR1 and
/// SIGPIPE.
Transport start_transport();

struct Loop {
    std::function<void(Exchange&)> answer;  ///< must call `send`
    std::function<void()> after_answer;
    std::optional<std::int64_t> max_requests;
    /// For the head of a request, and for its whole body. Some web servers pass a body on as it comes: whoever sends a
    /// byte now and then would occupy the process for as long as he likes.
    std::chrono::milliseconds reading_time = std::chrono::seconds(10);
};

/// Until SIGTERM, SIGUSR1 or the last of `max_requests`; a request that has begun is finished. Throws std::system_error
/// when the listening socket is unusable.
void accept_requests(const Loop& loop);

}  // namespace postern::gateway
