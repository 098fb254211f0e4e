// A conversation with a program of this machine over a Unix stream socket, which ends at a deadline.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "os/file.h"

namespace postern::os {

/// Connecting, sending and receiving share one deadline: a peer that hangs costs no more than what is left until then.
/// Each member throws std::system_error: with ETIMEDOUT when the deadline has come, else as connect(2), send(2) and
/// recv(2) say. Signals interrupt nothing, and a peer that has gone away sends none.
class UnixStream {
public:
    using Deadline = std::chrono::steady_clock::time_point;

    /// Connects to what listens at `path`, of at most kLongestPath bytes.
    UnixStream(const std::string& path, Deadline deadline);

    /// Sends all bytes.
    void send(std::string_view bytes);
    /// Returns the bytes that have come, at most `most`; "" when the peer has closed the connection.
    std::string receive(std::size_t most);

    static constexpr std::size_t kLongestPath = 107;  ///< of sun_path, unix(7), which ends with a NUL

private:
    void wait_for(short events) const;

    Descriptor socket_;
    Deadline deadline_;
};

}  // namespace postern::os
