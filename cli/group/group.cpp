// `postern group`: groups of users, and who is in them.
#include <iostream>

#include "cli/audit.h"
#include "cli/client/parts.h"
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "cli/second_factor.h"
#include "db/write.h"
#include "store/client_access.h"
#include "store/groups.h"
#include "store/second_factor.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::Group;

constexpr std::size_t kMaxDescription = 256;  // bytes

audit::Member of_group(const std::string& name) { return {"group", name}; }

void require_new_name(const std::string& name) {
    if (!model::is_new_group_name(name))
        throw Refused(
            "the name of a group must be 1 to 64 of the characters A-Z a-z 0-9 . _ -, the first of them no -");
}

void require_description(const std::string& text) {
    if (text.size() > kMaxDescription || util::displayable(text) != text)
        throw Refused(
            "the description must be at most 256 bytes of UTF-8 text without control and direction characters");
}

Listing listing_of(const Group& group) {
    return {{"name", "name", group.name},
            {"description", "description", group.description},
            time_field("created_at", "created", group.created_at)};
}

struct AddOptions {
    std::string name;
    std::string description;
};

void add(const Invocation& invocation, const AddOptions& options) {
    require_new_name(options.name);
    require_description(options.description);
    const Group group{options.name, options.description, now()};
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    db::write(database, Durability::full, [&](db::Transaction& transaction) {
        if (!store::insert_group(transaction, group)) throw Refused("the group " + in_quotes(group.name) + " exists");
        commit(transaction);
    });
    note_done(invocation, {of_group(group.name)});
    if (invocation.json) return print_json(members_of(listing_of(group)));
    std::cout << "group " << in_quotes(group.name) << " is there; `postern group member add` puts users into it\n";
}

void list(const Invocation& invocation, const db::Limit& limit) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    auto groups = store::list_groups(database, limit);
    if (!invocation.json) {
        return print_table_rows({"NAME", "MEMBERS", "DESCRIPTION"}, groups, [](const store::ListedGroup& each) {
            return std::vector<std::string>{each.group.name, std::to_string(each.members), each.group.description};
        });
    }
    print_json_rows(groups, [](const store::ListedGroup& each) {
        json::Object object = members_of(listing_of(each.group));
        object.set("members", each.members);
        return object;
    });
}

std::vector<std::string> as_text(const std::vector<model::ClientId>& ids) {
    std::vector<std::string> text;
    for (const model::ClientId& id : ids) text.push_back(id.str());
    return text;
}

struct Shown {
    Group group;
    std::vector<std::string> members;
    std::vector<std::string> clients;
};

Shown read_group(db::Database& database, const std::string& name) {
    Shown shown{require_group(database, name), {}, as_text(store::clients_allowing(database, name))};
    auto members = store::list_members(database, name);
    for (const store::Member& member : members) shown.members.push_back(member.username);
    return shown;
}

void show(const Invocation& invocation, const std::string& name) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    const auto [group, members, clients] = read_group(database, name);
    Listing fields = listing_of(group);
    fields.push_back({"members", "members", json::strings(members)});
    fields.push_back({"clients", "may use", json::strings(clients)});
    fields.push_back({"second_factor", "second factor", to_word(store::is_demanded_of_group(database, name))});
    if (invocation.json) return print_json(members_of(fields));
    print_lines(fields);
}

struct SetOptions {
    std::string name;
    std::optional<std::string> description;
    std::optional<std::string> second_factor;
};

void set(const Invocation& invocation, const SetOptions& options) {
    if (!options.description && !options.second_factor)
        throw UsageError("nothing to change; `postern group set --help` lists the options");
    if (options.description) require_description(*options.description);
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Group group = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        Group changed = require_group(database, options.name);
        if (options.description) {
            changed.description = *options.description;
            store::set_description(transaction, changed.name, changed.description);
        }
        if (options.second_factor)
            store::demand_second_factor_of_group(transaction, changed.name, *options.second_factor == kRequired);
        commit(transaction);
        return changed;
    });
    note_done(invocation, {of_group(group.name)});
    if (invocation.json) {
        json::Object object = members_of(listing_of(group));
        object.set("second_factor", to_word(store::is_demanded_of_group(database, group.name)));
        return print_json(std::move(object));
    }
    if (options.description)
        std::cout << "group " << in_quotes(group.name) << " is described as " << in_quotes(group.description) << '\n';
    if (options.second_factor)
        std::cout << "members of " << in_quotes(group.name)
                  << (*options.second_factor == kRequired ? " must log in with a second factor\n"
                                                          : " need a second factor only where another rule says so\n");
}

void remove(const Invocation& invocation, const std::string& name) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const auto unusable = store::unusable_clients(database);
    const ToldOfGroup lost = find_told_of_group(database, name);
    const std::int64_t ended = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        store::lock_access(transaction);
        require_group(database, name);
        const auto clients = store::clients_allowing(database, name);
        store::remove_group(transaction, name);
        std::int64_t grants = 0;
        for (const model::ClientId& id : clients) grants += store::end_grants_without_access(transaction, id, now());
        commit(transaction);
        return grants;
    });
    note_done(invocation, {of_group(name), grants_ended(ended)});
    note_unusable_clients(database, unusable);
    note_lost(lost);
    if (invocation.json) return print_json(json::Object{{"name", name}, {"grants_ended", ended}});
    std::cout << "group " << in_quotes(name) << " is removed; " << counted(ended, "grant") << " ended\n";
}

struct MemberOptions {
    std::string group;
    std::vector<std::string> users;
};

/// One of the users, with what changed.
struct Changed {
    model::Subject subject;
    std::int64_t grants_ended = 0;
};

/// Calls `change(transaction, user)` for each of the users, all of them or none. It returns nullopt for a user who
/// stays as before. A line of the audit log for each of the others.
template <class Change>
std::vector<Changed> change_members(const Invocation& invocation, const MemberOptions& options, Change change) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const auto all = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        require_group(database, options.group);
        std::vector<Changed> changed;
        for (const std::string& name : options.users) {
            const model::User user = require_user(transaction, name);
            if (const auto one = change(transaction, user)) changed.push_back(*one);
        }
        commit(transaction);
        return changed;
    });
    for (const Changed& one : all)
        note_done(invocation, {audit::subject(one.subject), of_group(options.group), grants_ended(one.grants_ended)});
    return all;
}

void add_members(const Invocation& invocation, const MemberOptions& options) {
    using Result = std::optional<Changed>;
    const auto added =
        change_members(invocation, options, [&](db::Transaction& transaction, const model::User& user) -> Result {
            if (!store::add_member(transaction, options.group, user.subject, now())) return std::nullopt;
            return Changed{user.subject};
        });
    const auto count = static_cast<std::int64_t>(added.size());
    if (invocation.json) return print_json(json::Object{{"name", options.group}, {"added", count}});
    std::cout << counted(count, "user") << " added to group " << in_quotes(options.group) << '\n';
}

void remove_members(const Invocation& invocation, const MemberOptions& options) {
    using Result = std::optional<Changed>;
    const auto removed =
        change_members(invocation, options, [&](db::Transaction& transaction, const model::User& user) -> Result {
            if (!store::remove_member(transaction, options.group, user.subject)) return std::nullopt;
            return Changed{user.subject, store::end_grants_without_access(transaction, user.subject, now())};
        });
    const auto count = static_cast<std::int64_t>(removed.size());
    std::int64_t grants = 0;
    for (const Changed& one : removed) grants += one.grants_ended;
    if (invocation.json)
        return print_json(json::Object{{"name", options.group}, {"removed", count}, {"grants_ended", grants}});
    std::cout << counted(count, "user") << " removed from group " << in_quotes(options.group) << "; "
              << counted(grants, "grant") << " ended\n";
}

constexpr Argument kName = {"GROUP", "The name of the group"};

template <class Text>
void add_description(const Command& command, Text& description) {
    command.option("--description", "TEXT", description, "What the group is, for people who read the list");
}

void add_member_commands(const Command& group, Invocation& invocation) {
    const Command member = group.add_group("member", "Put users into a group, and take them out");
    const auto declare = [&](const char* name, const char* summary, const char* example,
                             void (*action)(const Invocation&, const MemberOptions&)) {
        const auto [command, options] = add_command<MemberOptions>(member, invocation, name, summary, example, action);
        command.argument(kName, options.group);
        command.argument("USER", options.users, "User names, or the `sub` that tokens show");
        return command;
    };
    declare("add", "Put users into a group", "postern group member add staff ada grace", add_members);
    declare("remove", "Take users out of a group", "postern group member remove staff ada", remove_members)
        .explain(
            "Grants for clients that the users may no longer use end in the same transaction: their tokens are "
            "inactive at once.");
}

}  // namespace

void add_group_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("group", "Manage groups of users, which applications learn or are limited to");

    const auto [add_one, added] =
        add_command<AddOptions>(group, invocation, "add", "Make a group without members",
                                "postern group add staff --description \"All employees\"", add);
    add_one.explain(
        "A group has no rights of its own. Applications with the scope groups learn its name, and `postern client set "
        "--allow-group` lets its members alone use an application. A name is 1 to 64 of A-Z a-z 0-9 . _ -");
    add_one.argument(kName, added.name);
    add_description(add_one, added.description);

    add_list_command(group, invocation, "List all groups", "postern group list --json", list);
    add_command(group, invocation, "show", "Show a group with its members and the clients that it may use",
                "postern group show staff", kName, show);

    const auto [set_one, described] = add_command<SetOptions>(
        group, invocation, "set", "Change the description of a group, or whether its members need a second factor",
        "postern group set staff --description \"Employees and guests\"\n"
        "  postern group set admins --second-factor required",
        set);
    set_one.argument(kName, described.name);
    add_description(set_one, described.description);
    add_second_factor_option(set_one, described.second_factor,
                             "required: members must log in with a second factor; default: as login.secondFactor says");

    add_command(group, invocation, "remove", "Delete a group; its members lose the clients that only it lets them use",
                "postern group remove staff", kName, remove)
        .explain(
            "A client that named no other group or user lets no user in from then on; a note names it. Grants of "
            "users who may not use a client any more end in the same transaction. Claims and names that clients have "
            "of the group go with it; notes name them.");

    add_member_commands(group, invocation);
}

}  // namespace postern::cli
