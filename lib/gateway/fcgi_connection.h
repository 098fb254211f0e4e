// The connection of a web server to a FastCGI process: every wait for it has an end.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "gateway/fcgi_request.h"

namespace postern::gateway {

using Deadline = std::chrono::steady_clock::time_point;

/// One at a time. Nothing here blocks: what cannot be read or written at once is waited for, up to a deadline that no
/// trickle of bytes moves.
class FcgiConnection {
public:
    FcgiConnection() = default;
    FcgiConnection(const FcgiConnection&) = delete;
    FcgiConnection& operator=(const FcgiConnection&) = delete;
    ~FcgiConnection() { close(); }

    bool is_open() const { return socket_ >= 0; }
    int socket() const { return socket_; }  ///< -1 when there is none
    bool has_unread() const { return !unread_.empty(); }

    /// Takes the next of those who wait at `listener`, in the place of the one that is open. False: there is none, since
    /// another process was faster, it broke or is not welcome. Throws std::system_error when there can be none.
    bool accept(int listener);

    /// The head of the next request. False: what came is none, or was not whole in time.
    bool take_head(Deadline end, FcgiHead& head);
    /// At most `size` bytes; 0 at the end, after an error, and when the time is over.
    std::size_t read(char* buffer, std::size_t size, Deadline end);
    /// All of it; false when the web server has hung up, or has not taken it in half a minute.
    bool write(std::string_view bytes);

    /// Hangs up, so that whoever is still writing gets to read what was written to him.
    void end();
    void close();

private:
    bool read_more(Deadline end);

    int socket_ = -1;
    std::string unread_;
};

}  // namespace postern::gateway
