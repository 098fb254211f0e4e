// Accepts the connections of web servers: who may connect over TCP.
#pragma once

namespace postern::gateway {

/// Returns a new connection at `listener`, blocking and closed on exec, which the caller owns; -1 when there is none:
/// another process was faster, the peer has gone, or it is not among FCGI_WEB_SERVER_ADDRS. That variable of the
/// environment lists the addresses that may connect over TCP, with commas between them; without it all may (FastCGI 1.0
/// §3.2). Throws std::system_error when the listener is unusable.
int accept_connection(int listener);

/// Returns whether a web server waits at the listening socket that this process was started with (FastCGI 1.0 §2.2): no
/// process of the pool has taken its request. False in a process without such a socket.
bool is_awaited();

}  // namespace postern::gateway
