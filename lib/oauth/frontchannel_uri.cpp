// Decides which address of a client may be loaded in a frame at logout.
#include "oauth/frontchannel_uri.h"

#include <algorithm>
#include <cstddef>

#include "http/url.h"
#include "oauth/cors.h"
#include "oauth/redirect_rules.h"
#include "util/text.h"

namespace postern::oauth {
namespace {

constexpr std::size_t kLongestHost = 253;  // RFC 1035 §2.3.4

/// host-char of CSP Level 3 §2.3.1, and the dots between. The brackets of an IPv6 address are none.
bool is_host_source(std::string_view host) {
    return !host.empty() && host.size() <= kLongestHost && std::ranges::all_of(host, [](char c) {
        return util::is_letter(c) || util::is_digit(c) || c == '-' || c == '.';
    });
}

bool has_other_scheme(std::string_view uri) {
    const auto url = http::parse_url(uri);
    return url && url->scheme != "https";
}

}  // namespace

std::optional<std::string> frontchannel_uri_problem(std::string_view uri,
                                                    const std::vector<std::string>& redirect_uris) {
    // First, because what is said of redirect URIs would lead to other schemes.
    if (has_other_scheme(uri)) return "does not begin with https://; a page of https loads no other frames";
    if (auto problem = redirect_uri_problem(uri, false)) return problem;
    if (!frame_source(uri))
        return "has a host that Content-Security-Policy cannot name; write a name of letters, digits and hyphens";
    const auto has_origin = [&](const std::string& redirect_uri) { return origin_of(redirect_uri) == origin_of(uri); };
    if (std::ranges::none_of(redirect_uris, has_origin))
        return "is on another site than the client: no redirect URI has its scheme, host and port (OpenID Connect "
               "Front-Channel Logout 1.0 section 2)";
    return std::nullopt;
}

std::optional<std::string> frame_source(std::string_view uri) {
    const auto url = http::parse_url(uri);
    if (!url || url->scheme != "https" || !is_host_source(url->host)) return std::nullopt;
    return origin_of(uri);
}

}  // namespace postern::oauth
