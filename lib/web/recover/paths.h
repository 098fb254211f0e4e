// Where links are asked for, and where they lead.
#pragma once

#include <string>
#include <vector>

#include "oauth/settings.h"

namespace postern::web {

/// Behind `paths.recover`, where a link is asked for by mail: the page that opens one.
inline constexpr const char* kLinkSuffix = "/link";
/// The parameter that has the 256 random bits of a link.
inline constexpr const char* kLinkParameter = "t";

/// The paths that this configuration offers, relative to the issuer; none with `paths.recover: null`, and none where
/// passwords are not kept here. Without `mail` the page of links alone.
std::vector<std::string> recover_paths(const oauth::Settings& settings);

}  // namespace postern::web
