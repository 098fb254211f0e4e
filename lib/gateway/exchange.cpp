// Plain CGI: one request in the process environment and on standard input, one answer on standard output (RFC 3875).
#include "gateway/exchange.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

namespace postern::gateway {
namespace {

constexpr std::chrono::seconds kPatience{30};  // for the whole body: a slow client must not hold a process for ever

/// Waits until `descriptor` can be read or the time is over.
bool wait_readable(int descriptor, std::chrono::steady_clock::time_point deadline) {
    for (;;) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd waiting{descriptor, POLLIN, 0};
        const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}

/// Ends the answer for the web server and keeps the number occupied, so that no later file becomes "standard output".
void end_output(int descriptor, int nothing) {
    if (nothing >= 0 && dup2(nothing, descriptor) >= 0) {
        close(nothing);
    } else {
        close(descriptor);
    }
}

}  // namespace

CgiExchange::CgiExchange(int input, int output)
    : input_(input), output_(output), nothing_(open("/dev/null", O_WRONLY | O_CLOEXEC)) {}

void CgiExchange::read_variables(const std::vector<std::string>& also) {
    variables_ = collect_variables(::environ, also);
}

Body CgiExchange::receive(std::size_t cap) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    return receive_body(variables_, cap, StreamEnd::at_length_only,
                        [&](char* buffer, std::size_t size) -> std::optional<std::size_t> {
                            for (;;) {
                                if (!wait_readable(input_, deadline)) return std::nullopt;
                                const ssize_t got = read(input_, buffer, size);
                                if (got >= 0) return static_cast<std::size_t>(got);
                                if (errno != EINTR && errno != EAGAIN) return std::nullopt;
                            }
                        });
}

void CgiExchange::send(std::string_view wire) noexcept {
    while (!wire.empty()) {
        const ssize_t written = write(output_, wire.data(), wire.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) break;
        wire.remove_prefix(static_cast<std::size_t>(written));
    }
    end_output(output_, nothing_);
}

}  // namespace postern::gateway
