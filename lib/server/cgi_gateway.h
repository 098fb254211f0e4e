// Plain CGI: one request in the process environment and on standard input, one answer on standard output (RFC 3875).
#pragma once

#include "server/exchange.h"

namespace postern::server {

class CgiExchange final : public Exchange {
public:
    /// Reads the process environment. The descriptors are standard input and output; tests give others. They are not
    /// closed by the destructor: `send` closes `output`.
    explicit CgiExchange(int input = 0, int output = 1);

    const Variables& variables() const override { return variables_; }
    void read_also(const std::vector<std::string>& names) override;
    Body receive(std::size_t cap) override;
    void send(std::string_view wire) noexcept override;

private:
    int input_;
    int output_;
    Variables variables_;
};

}  // namespace postern::server
