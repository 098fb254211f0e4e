// Finds the user, client or group that a typed name refers to, and requires --all before a command ends something for
// all.
#include "cli/lookup.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/parse_time.h"
#include "store/clients.h"
#include "store/groups.h"
#include "store/users.h"

namespace postern::cli {
namespace {

Refused no_user(const std::string& name) {
    return Refused("there is no user " + in_quotes(name) + "; `postern user list` shows all");
}

Refused no_client(const std::string& id) {
    return Refused("there is no client " + in_quotes(id) + "; `postern client list` shows all");
}

}  // namespace

model::User require_user(db::Database& database, const std::string& name) {
    auto user = store::find_user_by_name(database, name);
    if (!user) user = store::find_user(database, model::Subject(name));
    if (!user) throw no_user(name);
    return *std::move(user);
}

model::User require_user(db::Transaction& transaction, const std::string& name) {
    auto user = store::find_user_to_change(transaction, require_user(transaction.database(), name).subject);
    if (!user) throw no_user(name);
    return *std::move(user);
}

model::Client require_client(db::Database& database, const std::string& id) {
    auto client = store::find_client(database, model::ClientId(id), now());
    if (!client) throw no_client(id);
    return *std::move(client);
}

model::Client require_client(db::Transaction& transaction, const std::string& id) {
    auto client = store::find_client_to_change(transaction, model::ClientId(id), now());
    if (!client) throw no_client(id);
    return *std::move(client);
}

model::Group require_group(db::Database& database, const std::string& name) {
    auto group = store::find_group(database, name);
    if (!group)
        throw Refused("there is no group " + in_quotes(name) +
                      "; `postern group list` shows all, `postern group add` makes one");
    return *std::move(group);
}

void add_user_filter(const Command& command, Selection& selection) {
    command.option("--user", "NAME", selection.user, "Only of this user: the user name, or the `sub` that tokens show");
}

void add_client_filter(const Command& command, Selection& selection) {
    command.option("--client", "ID", selection.client, "Only of this client");
}

void add_before_filter(const Command& command, Selection& selection) {
    command.option("--before", "TIME", selection.before,
                   "Only tokens issued before this time: seconds since 1970, or for example 2026-01-31T23:00:00Z");
}

void add_all_option(const Command& command, Selection& selection) {
    command.flag("--all", selection.all, "All users and clients; without it at least one filter is required");
}

void require_choice(const Selection& selection) {
    const bool filtered = selection.user || selection.client || selection.before;
    if (filtered && selection.all)
        throw UsageError("--all means all users and clients; leave out either --all or the filters");
    if (!filtered && !selection.all) throw UsageError("give a filter (see --help), or --all");
}

store::GrantFilter resolve(db::Database& database, const Selection& selection) {
    store::GrantFilter filter;
    if (selection.before) {
        filter.before = parse_time(*selection.before);
        if (!filter.before)
            throw UsageError("--before " + in_quotes(*selection.before) +
                             " is not a time; write seconds since 1970, or for example 2026-01-31T23:00:00Z");
    }
    if (selection.user) filter.subject = require_user(database, *selection.user).subject;
    if (selection.client) filter.client = require_client(database, *selection.client).id;
    return filter;
}

void note_ended(const Invocation& invocation, const store::GrantFilter& filter,
                std::vector<audit::Member> counts) noexcept {
    if (std::ranges::all_of(counts, [](const auto& count) { return count.second == "0"; })) return;
    std::vector<audit::Member> members;
    if (filter.client) members.push_back(audit::client(*filter.client));
    if (filter.subject) members.push_back(audit::subject(*filter.subject));
    if (filter.before) members.emplace_back("before", log_time(*filter.before));
    members.insert(members.end(), counts.begin(), counts.end());
    note_done(invocation, std::move(members));
}

}  // namespace postern::cli
