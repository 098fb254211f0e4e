// The one place that turns a response into bytes for the web server (RFC 3875 §6).
#pragma once

#include <string>

#include "http/message.h"

namespace postern::server {

struct WireFacts {
    std::string request_id;
    bool https = true;  ///< HSTS is said only where it can be kept: the issuer's scheme and host
    bool head = false;  ///< the request was HEAD: no body, but its length
};

/// Writes `Status` first, then the response's headers, then those every answer has: no-store (unless the response
/// decides its caching), nosniff, no-referrer, X-Request-Id, Content-Length, unless the response is bare. Throws
/// std::logic_error for what must never leave: a control byte or a malformed name in a header, a Location that is not
/// absolute (a path would be re-run inside the web server, RFC 3875 §6.2.2), a header that only this function or the
/// web server may set, a body without a type, a status outside 200-599.
std::string to_wire(const http::Response& response, const WireFacts& facts);

/// Returns 500 without any detail, for when nothing else works.
std::string bare_failure();

/// Returns 503, for when the database could not even be opened, because it was busy or its disk failed.
std::string bare_unavailability();

}  // namespace postern::server
