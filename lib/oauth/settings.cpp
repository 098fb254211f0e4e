// Decides what users know the service by.
#include "oauth/settings.h"

#include "http/url.h"

namespace postern::oauth {

std::string Settings::service_name() const {
    if (!branding.name.empty()) return branding.name;
    const auto url = http::parse_url(issuer);
    return url ? url->host : issuer;
}

}  // namespace postern::oauth
