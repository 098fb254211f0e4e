// Where links are asked for, and where they lead.
#pragma once

#include <string>
#include <vector>

#include "oauth/settings.h"

namespace postern::web {

/// The suffix of the page that opens a link. `paths.recover` itself is the page that sends one by mail.
inline constexpr const char* kLinkSuffix = "/link";
/// The parameter that has the 256 random bits of a link.
inline constexpr const char* kLinkParameter = "t";

/// Returns the paths that this configuration offers, relative to the issuer; none with `paths.recover: null`, and none
/// where passwords are not kept here. Without `mail` the page of links alone.
inline std::vector<std::string> recover_paths(const oauth::Settings& settings) {
    if (!settings.paths.recover || !settings.login.keeps_passwords()) return {};
    const std::string link = *settings.paths.recover + kLinkSuffix;
    if (!settings.offers_recovery()) return {link};
    return {*settings.paths.recover, link};
}

}  // namespace postern::web
