#include "oidc/logout_frames.h"

#include <algorithm>

#include "http/url.h"
#include "oauth/frontchannel_uri.h"

namespace postern::oidc {

LogoutFrames logout_frames(const std::vector<std::string>& uris, const std::string& issuer, const model::Sid& sid) {
    LogoutFrames frames;
    std::size_t named = 0;  // bytes of the sources
    for (const std::string& uri : uris) {
        if (frames.urls.size() == kMaxLogoutFrames) break;
        const auto source = oauth::frame_source(uri);
        if (!source) continue;
        if (std::ranges::find(frames.sources, *source) == frames.sources.end()) {
            if (named + source->size() > kMaxFrameSources) continue;
            named += source->size();
            frames.sources.push_back(*source);
        }
        frames.urls.push_back(http::with_query(uri, {{"iss", issuer}, {"sid", sid.str()}}));
    }
    return frames;
}

}  // namespace postern::oidc
