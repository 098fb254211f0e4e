#include "oidc/logout_frames.h"

#include <algorithm>

#include "http/url.h"
#include "oauth/frontchannel_uri.h"

namespace postern::oidc {

LogoutFrames logout_frames(const std::vector<std::string>& uris, const std::string& issuer, const model::Sid& sid) {
    LogoutFrames frames;
    for (const std::string& uri : uris) {
        if (frames.urls.size() == kMaxLogoutFrames) break;
        const auto source = oauth::frame_source(uri);
        if (!source) continue;
        frames.urls.push_back(http::with_query(uri, {{"iss", issuer}, {"sid", sid.str()}}));
        if (std::ranges::find(frames.sources, *source) == frames.sources.end()) frames.sources.push_back(*source);
    }
    return frames;
}

}  // namespace postern::oidc
