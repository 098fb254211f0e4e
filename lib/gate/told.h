// The headers that an application is told about its user.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/value.h"
#include "model/client.h"
#include "util/result.h"

namespace postern::gate {

/// The headers, in the order in which they are written.
inline constexpr std::string_view kRemoteUser = "Remote-User";
inline constexpr std::string_view kRemoteName = "Remote-Name";
inline constexpr std::string_view kRemoteEmail = "Remote-Email";
inline constexpr std::string_view kRemoteEmailVerified = "Remote-Email-Verified";
inline constexpr std::string_view kRemoteGroups = "Remote-Groups";
inline constexpr std::string_view kRemoteSubject = "Remote-Subject";
inline constexpr std::array kToldHeaders = {kRemoteUser,          kRemoteName,   kRemoteEmail,
                                            kRemoteEmailVerified, kRemoteGroups, kRemoteSubject};

/// The bytes of all values together.
inline constexpr std::size_t kMaxToldBytes = 4096;

/// A user who may pass.
struct ToldUser {
    std::string username;  ///< with which the user signs in
    model::Subject subject;
    json::Object claims;  ///< that the scope of the site releases, `groups` as a list
};

struct ToldHeaders {
    std::vector<std::pair<std::string, std::string>> headers;  ///< names as in kToldHeaders
    std::vector<std::string> left_out;                         ///< names of headers that had no room, or no spelling
};

/// The reason why an application cannot be told its user, so that the check does not pass.
struct Untold {
    std::string detail;  ///< for the operator
};

/// Returns the headers of a user. Remote-User is the one by which `site` knows its users; whatever else has no room or
/// cannot stand in a header is left out whole (GATE-12).
util::Result<ToldHeaders, Untold> tell_user(const model::Site& site, const ToldUser& user);

}  // namespace postern::gate
