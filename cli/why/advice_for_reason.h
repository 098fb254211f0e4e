// What to change where several reasons share an error code.
#pragma once

#include <optional>
#include <string_view>

#include "server/refusal_ring.h"

namespace postern::cli {

/// For a user whom none of the client's rules lets in.
inline constexpr std::string_view kAdviceForOthers =
    "The client is for certain users and groups, as `postern client show {client}` says, and the user is not one of "
    "them. `postern group member add GROUP USER` or `postern client set {client} --allow-user USER` lets the user in. A "
    "group of login.groupsFromEnvironment follows the web server's variable at the user's next login.";

/// The text for the reason that the description or the detail of the refusal begins with; nullopt: the error code says
/// enough. "{client}" in it stands for the id of the client.
std::optional<std::string_view> advice_for_reason(const server::RefusalRecord& refusal);

}  // namespace postern::cli
