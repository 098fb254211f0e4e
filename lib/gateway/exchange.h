// One request as a transport hands it over, and the way back: all that the server knows about FastCGI and CGI.
#pragma once

#include <cstddef>
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

}  // namespace postern::gateway
