// The rules for a client's frontchannel_logout_uri (OpenID Connect Front-Channel Logout 1.0 §2), which the logged-out
// page loads in a frame.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace postern::oauth {

/// Returns the reason why a client with these redirect URIs cannot have `uri` as its frontchannel_logout_uri, as the
/// end of a sentence that begins with the URI; nullopt if it can.
std::optional<std::string> frontchannel_uri_problem(std::string_view uri,
                                                    const std::vector<std::string>& redirect_uris);

/// Returns the origin of an https URL as the directive frame-src names it (CSP Level 3 §2.3.1). nullopt for a host that
/// the directive cannot name: whatever text a URL has, no other directive and no wildcard gets into the header.
std::optional<std::string> frame_source(std::string_view uri);

}  // namespace postern::oauth
