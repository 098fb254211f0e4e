// Decides what kind of program receives what is sent to a redirect URI.
#include "oauth/redirect_target.h"

#include "http/url.h"

namespace postern::oauth {

bool is_loopback_or_private(std::string_view redirect_uri) {
    const auto url = http::parse_url(redirect_uri);
    if (!url) return true;  // unknown ground is treated as the riskier kind
    return url->scheme != "https" && (url->scheme != "http" || http::is_loopback_http(*url));
}

}  // namespace postern::oauth
