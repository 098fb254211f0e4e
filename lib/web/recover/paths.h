// Where links of the operator lead.
#pragma once

#include <string>
#include <vector>

#include "oauth/settings.h"

namespace postern::web {

/// Behind `paths.recover`: the page that opens a link. `paths.recover` itself is not a page yet.
inline constexpr const char* kLinkSuffix = "/link";
/// The parameter that has the 256 random bits of a link.
inline constexpr const char* kLinkParameter = "t";

/// The paths that this configuration offers, relative to the issuer; none with `paths.recover: null`, and none where
/// the web server signs users in.
std::vector<std::string> recover_paths(const oauth::Settings& settings);

}  // namespace postern::web
