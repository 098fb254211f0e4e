// The life of an endpoint's process: start-up checks, the accept loop, the one catch, the end.
#pragma once

#include "server/endpoint.h"

namespace postern::server {

/// Runs until the web server ends the process (FastCGI) or for one request (CGI). The exit code of main: 0, or 1 when
/// the configuration, database, keys or templates cannot be used (the reason is on stderr, the answer a bare 500).
/// POSTERN_CONFIG and POSTERN_MAX_REQUESTS (end after so many requests, for supervisors that start a fresh process
/// then) are read from the process environment. Arguments are none of its business: a web server may fill them from the
/// query.
int serve(const Endpoint& endpoint, const Handler& handler);

}  // namespace postern::server
