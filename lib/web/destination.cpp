#include "web/destination.h"

#include "http/url.h"

namespace postern::web {

std::string destination(const std::string& redirect_uri) {
    const auto url = http::parse_url(redirect_uri);
    if (!url) return redirect_uri;
    const bool is_web = url->scheme == "https" || url->scheme == "http";
    return is_web ? url->host : url->scheme + ": (an app on this device)";
}

}  // namespace postern::web
