// Which groups are there, and who is in them?
#include "store/groups.h"

#include "store/client_claims.h"
#include "store/columns.h"

namespace postern::store {
namespace {

using model::Group;
using model::Subject;

db::Statement& operator>>(db::Statement& row, Group& group) {
    return row >> group.name >> group.description >> group.created_at;
}

}  // namespace

bool insert_group(db::Transaction& transaction, const Group& group) {
    return transaction.run(
               "INSERT INTO groups (name, description, created_at) VALUES ($1, $2, $3) ON CONFLICT (name) DO NOTHING",
               group.name, group.description, group.created_at) == 1;
}

std::optional<Group> find_group(db::Database& database, std::string_view name) {
    auto row = database.query("SELECT name, description, created_at FROM groups WHERE name = $1", name);
    if (!row.step()) return std::nullopt;
    Group group;
    row >> group;
    return group;
}

bool set_description(db::Transaction& transaction, std::string_view name, std::string_view description) {
    return transaction.run("UPDATE groups SET description = $2 WHERE name = $1", name, description) == 1;
}

bool remove_group(db::Transaction& transaction, std::string_view name) {
    // Memberships, lists of clients and names that clients are told go by foreign keys.
    remove_claims_of(transaction, {model::SourceKind::group, std::string(name)});
    return transaction.run("DELETE FROM groups WHERE name = $1", name) == 1;
}

db::Rows<ListedGroup> list_groups(db::Database& database, db::Limit limit) {
    constexpr const char* kGroups =
        "SELECT g.name, g.description, g.created_at,"
        " (SELECT count(*) FROM group_members m WHERE m.group_name = g.name)"
        " FROM groups g ORDER BY g.name LIMIT $1";
    return {database.list(kGroups, limit.rows),
            [](db::Statement& row, ListedGroup& listed) { row >> listed.group >> listed.members; }};
}

db::Rows<Member> list_members(db::Database& database, std::string_view group, db::Limit limit) {
    constexpr const char* kMembers =
        "SELECT m.subject, u.username, m.added_at FROM group_members m JOIN users u ON u.subject = m.subject"
        " WHERE m.group_name = $1 ORDER BY u.username LIMIT $2";
    return {database.list(kMembers, group, limit.rows),
            [](db::Statement& row, Member& member) { row >> member.subject >> member.username >> member.added_at; }};
}

db::Rows<Membership> list_memberships(db::Database& database, const std::string& source) {
    constexpr const char* kMemberships =
        "SELECT m.subject, m.group_name FROM users u JOIN group_members m ON m.subject = u.subject WHERE u.source = $1";
    return {database.list(kMemberships, source),
            [](db::Statement& row, Membership& membership) { row >> membership.subject >> membership.group; }};
}

bool add_member(db::Transaction& transaction, std::string_view group, const Subject& subject, util::Time now) {
    return transaction.run(
               "INSERT INTO group_members (subject, group_name, added_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
               subject, group, now) == 1;
}

bool remove_member(db::Transaction& transaction, std::string_view group, const Subject& subject) {
    return transaction.run("DELETE FROM group_members WHERE subject = $1 AND group_name = $2", subject, group) == 1;
}

std::vector<std::string> groups_of(db::Database& database, const Subject& subject) {
    return values_of<std::string>(
        database.query("SELECT group_name FROM group_members WHERE subject = $1 ORDER BY group_name", subject));
}

std::vector<std::string> told_groups(db::Database& database, const Subject& subject, const model::ClientId& client) {
    return values_of<std::string>(
        database.query("SELECT DISTINCT COALESCE(n.name, m.group_name) FROM group_members m JOIN clients c ON c.id = $2"
                       " LEFT JOIN client_group_names n ON n.client_id = $2 AND n.group_name = m.group_name"
                       " WHERE m.subject = $1 AND (c.groups = 'all' OR EXISTS (SELECT 1 FROM allowed_groups a"
                       " WHERE a.client_id = $2 AND a.group_name = m.group_name)) ORDER BY 1",
                       subject, client));
}

}  // namespace postern::store
