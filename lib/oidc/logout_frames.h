// The frames with which the logged-out page tells applications that a session has ended (OpenID Connect Front-Channel
// Logout 1.0 §3).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/ids.h"

namespace postern::oidc {

inline constexpr std::size_t kMaxLogoutFrames = 20;

/// The bytes of all origins in frame-src. nginx reads the headers of an answer into 4 KiB by default, and answers 502
/// if they are longer.
inline constexpr std::size_t kMaxFrameSources = 2048;

struct LogoutFrames {
    std::vector<std::string> urls;     ///< what the frames load
    std::vector<std::string> sources;  ///< their origins, each once, for the directive frame-src

    bool operator==(const LogoutFrames&) const = default;
};

/// Returns the frames of the registered addresses, which come in the order of their importance: those beyond
/// kMaxLogoutFrames have none, nor has one whose origin frame-src cannot name, or whose origin would make frame-src
/// longer than kMaxFrameSources. `iss` and `sid` are added to the registered query, and nothing else.
LogoutFrames logout_frames(const std::vector<std::string>& uris, const std::string& issuer, const model::Sid& sid);

}  // namespace postern::oidc
