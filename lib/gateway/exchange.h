// One request as a transport hands it over, and the way back: all that the server knows about FastCGI and CGI. Plain
// CGI is a request in the process environment and on standard input, an answer on standard output (RFC 3875). Of
// FastCGI: which of the two ways this process was started, and the loop that accepts requests until it is told to stop.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/body.h"
#include "gateway/variables.h"

namespace postern::gateway {

enum class Transport { cgi, fastcgi };

class Exchange {
public:
    virtual ~Exchange() = default;
    /// Reads the request's variables: the known ones, and those that the configuration names. Called once, before
    /// everything else but `send`.
    virtual void read_variables(const std::vector<std::string>& also) = 0;
    virtual const Variables& variables() const = 0;  ///< valid until `send`
    /// Reads the whole body, or drains one that is over `cap`. Called once.
    virtual Body receive(std::size_t cap) = 0;
    /// Sends the complete answer and ends it: whatever the process does afterwards, the client waits no longer. Called
    /// once. A client that has disconnected is not a failure.
    virtual void send(std::string_view wire) noexcept = 0;
};

class CgiExchange final : public Exchange {
public:
    /// The variables are the process environment. The descriptors are standard input and output; tests give others.
    /// They are not closed by the destructor: `send` closes `output`.
    explicit CgiExchange(int input = 0, int output = 1);

    void read_variables(const std::vector<std::string>& also) override;
    const Variables& variables() const override { return variables_; }
    Body receive(std::size_t cap) override;
    void send(std::string_view wire) noexcept override;

private:
    int input_;
    int output_;
    int nothing_;  ///< takes the place of `output_`; a sandbox forbids to open it later
    Variables variables_;
};

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
    /// The time for the variables and the body of a request together. Some web servers pass a body on as it comes:
    /// without a limit for all of it, a client that trickles one byte at a time could hold the process indefinitely.
    std::chrono::milliseconds reading_time = std::chrono::seconds(10);
    /// The time for the peer to take one piece of the answer, eight kilobytes.
    std::chrono::milliseconds writing_time = std::chrono::seconds(30);
    /// Questions of the role AUTHORIZER (FastCGI 1.0 §6.3) are answered, too, which have no body.
    bool authorizes = false;
};

/// Answers requests until SIGTERM, SIGUSR1, the last of `max_requests` or Next::end; a request that has begun is
/// finished. Connections that the web server keeps open are waited for together with new ones, so an idle one blocks no
/// other client. Uses SIGALRM and ITIMER_REAL while it reads, and leaves the timer alone once `receive` has returned.
/// Throws std::system_error when libfcgi or the listening socket is unusable.
void accept_requests(const Loop& loop);

}  // namespace postern::gateway
