// Takes rights from a process once everything that it needs is open (docs/decisions/0025-sandbox.md).
#pragma once

#include <string>

#include "config/config.h"
#include "gateway/exchange.h"
#include "server/endpoint.h"
#include "util/log.h"

namespace postern::server {

/// The parts of a sandbox that the running kernel offers.
struct SandboxOffer {
    int landlock = 0;     ///< version; 0: none
    bool calls = false;   ///< system calls can be filtered
    std::string missing;  ///< the missing parts, and why; "" when all are there
};
SandboxOffer sandbox_offer();

/// Obeys `config.sandbox` for a process of `endpoint` that has opened what it needs: from then on it can read its keys,
/// answer requests, and do what Endpoint::needs names. What was done is a line of the log; under plain CGI it would
/// come with every request, and is for debugging. Throws std::runtime_error when it is required and cannot be, or when
/// something that the endpoint needs is not there.
void enter_sandbox(const config::Config& config, const Endpoint& endpoint, const util::Log& log,
                   gateway::Transport transport);

}  // namespace postern::server
