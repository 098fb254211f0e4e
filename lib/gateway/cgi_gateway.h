// Plain CGI: one request in the process environment and on standard input, one answer on standard output (RFC 3875).
#pragma once

#include "gateway/exchange.h"

namespace postern::gateway {

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

}  // namespace postern::gateway
