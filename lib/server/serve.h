// The life of an endpoint's process: modes, core dumps and environment, start-up checks, the accept loop, the one
// catch, the end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "server/endpoint.h"

namespace postern::server {

/// Runs until the web server ends the process (FastCGI) or for one request (CGI). The exit code of main: 0, or 1 when
/// the configuration, database, keys or templates cannot be used (the reason is on stderr, the answer a bare 500).
/// POSTERN_CONFIG and POSTERN_MAX_REQUESTS (end after so many requests, for supervisors that start a fresh process
/// then) are read from the process environment. Arguments are none of its business: a web server may fill them from the
/// query.
int serve(const Endpoint& endpoint, const Handler& handler);

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
