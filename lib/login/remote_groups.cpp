// Puts a user into the groups that the web server names.
#include "login/remote_groups.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "store/client_access.h"
#include "store/groups.h"

namespace postern::login {
namespace {

using Names = std::set<std::string>;

/// Each group once, though several values may stand for it.
Names mapped_groups(const GroupsFromEnvironment& from) {
    Names names;
    for (const auto& [value, group] : from.groups) names.insert(group);
    return names;
}

Names groups_of(db::Database& database, const model::Subject& subject) {
    const auto names = store::groups_of(database, subject);
    return {names.begin(), names.end()};
}

/// Those of `a` that are not in `b`.
Names without(const Names& a, const Names& b) {
    Names rest;
    std::ranges::set_difference(a, b, std::inserter(rest, rest.end()));
    return rest;
}

Names both(const Names& a, const Names& b) {
    Names common;
    std::ranges::set_intersection(a, b, std::inserter(common, common.end()));
    return common;
}

}  // namespace

GroupChanges follow_groups(const oauth::Context& context, db::Transaction& transaction, const model::Subject& subject,
                           const RemoteUser& remote) {
    GroupChanges changes;
    const auto& from = context.settings.login.groups_from_environment;
    if (!from || !remote.groups) return changes;
    const Names before = both(groups_of(transaction.database(), subject), mapped_groups(*from));
    // First, because a group that the user joins may give a right that another one gave before.
    for (const std::string& name : without(*remote.groups, before)) {
        if (!store::find_group(transaction.database(), name))
            changes.missing.push_back(name);
        else if (store::add_member(transaction, name, subject, context.now()))
            changes.joined.push_back(name);
    }
    for (const std::string& name : without(before, *remote.groups)) {
        if (!store::remove_member(transaction, name, subject)) continue;  // the group was removed meanwhile
        changes.left.push_back({name, store::end_grants_without_access(transaction, subject, context.now())});
    }
    return changes;
}

}  // namespace postern::login
