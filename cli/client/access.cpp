// Applies the options about who may use a client.
#include "cli/client/parts.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace {

using model::Client;

std::string no_user_can_use(const model::ClientId& id) {
    return "client " + in_quotes(id.str()) + " names no group and no user, so no user can use it: " +
           util::ShellCommand("postern client set").value(id.str()).quoted() +
           " with --allow-group, --allow-user or --allow-everyone changes that";
}

Refused not_listed(const Client& client, const std::string& what) {
    return Refused("client " + in_quotes(client.id.str()) + " does not name the " + what +
                   "; `postern client show` shows whom it names");
}

void disallow(db::Transaction& transaction, const AccessOptions& options, const Client& client) {
    for (const std::string& group : options.disallow_groups) {
        if (!store::disallow_group(transaction, client.id, group))
            throw not_listed(client, "group " + in_quotes(group));
    }
    for (const std::string& name : options.disallow_users) {
        const model::User user = require_user(transaction.database(), name);
        if (!store::disallow_user(transaction, client.id, user.subject))
            throw not_listed(client, "user " + in_quotes(name));
    }
}

void allow(db::Transaction& transaction, const AccessOptions& options, const Client& client) {
    for (const std::string& group : options.allow_groups)
        store::allow_group(transaction, client.id, require_group(transaction.database(), group).name);
    for (const std::string& name : options.allow_users)
        store::allow_user(transaction, client.id, require_user(transaction.database(), name).subject);
}

}  // namespace

void add_access_options(const Command& command, AccessOptions& options) {
    command.option("--allow-group", "GROUP", options.allow_groups,
                   "Let only the groups and users on a list use the client, and add this group; repeatable");
    command.option("--allow-user", "USER", options.allow_users,
                   "Let only the groups and users on a list use the client, and add this user; repeatable");
}

void add_access_set_options(const Command& command, AccessOptions& options) {
    command.option("--disallow-group", "GROUP", options.disallow_groups, "Take a group off the list; repeatable");
    command.option("--disallow-user", "USER", options.disallow_users, "Take a user off the list; repeatable");
    command.flag("--allow-everyone", options.allow_everyone,
                 "Let all users use the client again, and clear the list; an empty list lets no user in");
}

void apply(const AccessOptions& options, Client& client) {
    const bool allows = !options.allow_groups.empty() || !options.allow_users.empty();
    if (options.allow_everyone && (allows || !options.disallow_groups.empty() || !options.disallow_users.empty()))
        throw UsageError("--allow-everyone forgets the list; it does not go with the options that change it");
    if (allows) client.restricted = true;
    if (options.allow_everyone) client.restricted = false;
}

std::int64_t change_access(db::Transaction& transaction, const AccessOptions& options, const Client& client) {
    if (options.allow_everyone) store::forget_access(transaction, client.id);
    disallow(transaction, options, client);
    allow(transaction, options, client);
    return store::end_grants_without_access(transaction, client.id, now());
}

void note_access(const Client& client, const store::ClientAccess& access) {
    if (client.restricted && access == store::ClientAccess{}) print_note(no_user_can_use(client.id));
    if (client.groups == model::ToldGroups::own && access.groups.empty())
        print_note("client " + in_quotes(client.id.str()) + " is told no groups: its own are those of --allow-group");
}

void note_unusable_clients(db::Database& database, const std::vector<model::ClientId>& before) {
    for (const model::ClientId& id : store::unusable_clients(database)) {
        if (std::ranges::find(before, id) == before.end()) print_note(no_user_can_use(id));
    }
}

store::ClientAccess read_access(db::Database& database, const Client& client) {
    return client.restricted ? store::find_client_access(database, client.id) : store::ClientAccess{};
}

}  // namespace postern::cli
