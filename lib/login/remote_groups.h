// Puts a user into the groups that the web server names (docs/decisions/0061-groups-from-the-environment.md).
#pragma once

#include <string>
#include <vector>

#include "login/remote_user.h"
#include "oauth/context.h"

namespace postern::login {

struct GroupLeft {
    std::string group;
    std::int64_t grants_ended = 0;  ///< for clients that the user may not use any more
};

struct GroupChanges {
    std::vector<std::string> joined;
    std::vector<GroupLeft> left;
    std::vector<std::string> missing;  ///< named by the web server, but not there: no membership
};

/// Of the groups that `login.groupsFromEnvironment` names, the user is in those of `remote` from here on and in no
/// others; memberships of other groups stay. What is as it should be is only read. The transaction has locked the user.
GroupChanges follow_groups(const oauth::Context& context, db::Transaction& transaction, const model::Subject& subject,
                           const RemoteUser& remote);

}  // namespace postern::login
