// Which web server collects a body whose length the client did not announce.
#include "server/missing_length.h"

#include <algorithm>

namespace postern::server {
namespace {

using gateway::StreamEnd;

struct Row {
    std::string_view software;  ///< how it names itself; "": any other
    StreamEnd end;
    std::string_view advice;
};

constexpr Row kRows[] = {
    {"Apache", StreamEnd::at_length_only,
     "mod_cgid and mod_cgi cannot collect a body that comes in chunks or over HTTP/2 without a length: let the client "
     "send Content-Length, or use mod_fcgid, or mod_proxy_fcgi with `SetEnv proxy-sendcl 1`"},
    {"Apache", StreamEnd::by_itself,
     "mod_proxy_fcgi passes a chunked body on as it comes: `SetEnv proxy-sendcl 1` lets it collect the body first; or "
     "let the client send Content-Length"},
    {"nginx", StreamEnd::by_itself,
     "nginx passes a chunked body on as it comes: `fastcgi_request_buffering on;` lets it collect the body first; or "
     "let the client send Content-Length"},
    {"lighttpd", StreamEnd::by_itself,
     "lighttpd passes a chunked body on as it comes: `server.stream-request-body = 0` lets it collect the body first; "
     "or let the client send Content-Length"},
    {"lighttpd", StreamEnd::at_length_only,
     "lighttpd passes a chunked body on as it comes: `server.stream-request-body = 0` lets it collect the body first; "
     "or let the client send Content-Length"},
    {"", StreamEnd::by_itself,
     "the web server passes a chunked body on as it comes: let it collect the body first, or let the client send "
     "Content-Length"},
    {"", StreamEnd::at_length_only,
     "the web server passes a body on without its length, and CGI has no other sign of its end: let it collect the "
     "body first, let the client send Content-Length, or use FastCGI"},
};

}  // namespace

std::string_view explain_missing_length(std::string_view software, StreamEnd end) {
    return std::ranges::find_if(kRows,
                                [&](const Row& row) { return row.end == end && software.starts_with(row.software); })
        ->advice;
}

}  // namespace postern::server
