// Prepares the process before it reads anything: modes, core dumps, environment.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "server/endpoint.h"

namespace postern::server {

/// Prepares the process, first in `serve`: files for one group only, no core dump and no debugger where secrets pass,
/// no OpenSSL configuration that another user chose.
void prepare_process(const Endpoint& endpoint);

/// Returns POSTERN_MAX_REQUESTS, after which the process ends gracefully. nullopt: never. Throws ConfigError when it is
/// not a number from 1 to 10^9.
std::optional<std::int64_t> max_requests();

/// Returns POSTERN_MAX_AWAY, in seconds, 30 by default: a process whose database server is away for longer ends.
/// nullopt: 0, never. Throws ConfigError when it is not a number up to 10^9. docs/decisions/0056
std::optional<std::chrono::seconds> max_away();

}  // namespace postern::server
