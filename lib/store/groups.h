// Tables `groups` and `group_members`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "db/rows.h"
#include "model/group.h"
#include "model/ids.h"

namespace postern::store {

/// Inserts the group; false when the name is taken.
bool insert_group(db::Transaction& transaction, const model::Group& group);
std::optional<model::Group> find_group(db::Database& database, std::string_view name);
/// Replaces the description of the group; false when there is no such group.
bool set_description(db::Transaction& transaction, std::string_view name, std::string_view description);
/// Deletes the group with its memberships, and from lists, claims and names of clients. False when there is none.
bool remove_group(db::Transaction& transaction, std::string_view name);

struct ListedGroup {
    model::Group group;
    std::int64_t members = 0;
};
db::Rows<ListedGroup> list_groups(db::Database& database, db::Limit limit = {});  ///< by name

struct Member {
    model::Subject subject;
    std::string username;
    util::Time added_at{};
};
db::Rows<Member> list_members(db::Database& database, std::string_view group, db::Limit limit = {});  ///< by user name

/// Adds the user to the group; false when the user is a member. The group and the user exist.
bool add_member(db::Transaction& transaction, std::string_view group, const model::Subject& subject, util::Time now);
/// Removes the user from the group; false when the user is no member.
bool remove_member(db::Transaction& transaction, std::string_view group, const model::Subject& subject);

struct Membership {
    model::Subject subject;
    std::string group;
};
/// Returns the memberships of all users of a source (store::Origin).
db::Rows<Membership> list_memberships(db::Database& database, const std::string& source);

/// Returns the names of the user's groups, in the order of their bytes.
std::vector<std::string> groups_of(db::Database& database, const model::Subject& subject);
/// Returns the groups that the client is told (model::ToldGroups), under the names that it is told, each once, in the
/// order of their bytes.
std::vector<std::string> told_groups(db::Database& database, const model::Subject& subject,
                                     const model::ClientId& client);

}  // namespace postern::store
