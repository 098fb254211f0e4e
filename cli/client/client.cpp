// `postern client`: registers its sub-commands, and runs list, show, enable and disable.
#include <iostream>

#include "cli/audit.h"
#include "cli/client/parts.h"
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/output.h"
#include "db/write.h"
#include "store/clients.h"

namespace postern::cli {
namespace {

using db::Access;
using db::Durability;
using model::Client;

struct ListOptions {
    db::Limit limit;
    std::string origin;  ///< "": any
};

void list(const Invocation& invocation, const ListOptions& options) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    const auto clients = store::list_clients(database, now(), options.limit, model::parse_origin(options.origin));
    if (!invocation.json) return print_clients(clients);
    json::Array array;
    for (const Client& client : clients)
        array.emplace_back(members_of(listing_of(client, read_details(database, client))));
    print_json(std::move(array));
}

void show(const Invocation& invocation, const std::string& id) {
    db::Database database = open_database(invocation.load_config(), Access::query_only);
    print_client(invocation, database, require_client(database, id));
}

void set_enabled(const Invocation& invocation, const std::string& id, bool enabled) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Client client = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        Client changed = require_client(transaction, id);
        changed.enabled = enabled;
        keep(changed);
        store::update_client(transaction, changed);
        commit(transaction);
        return changed;
    });
    note_done(invocation, {audit::client(client.id)});
    if (invocation.json) return print_json(members_of(listing_of(client, read_details(database, client))));
    std::cout << "client " << in_quotes(id)
              << (enabled ? " is enabled\n" : " is disabled: its tokens are inactive until it is enabled again\n");
}

void enable(const Invocation& invocation, const std::string& id) { set_enabled(invocation, id, true); }
void disable(const Invocation& invocation, const std::string& id) { set_enabled(invocation, id, false); }

void add_list(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<ListOptions>(group, invocation, "list", "List all clients",
                                 "postern client list --json\n  postern client list --origin dynamic", list);
    add_limit_option(command, options.limit);
    command
        .option("--origin", "SOURCE", options.origin,
                "operator, document or dynamic: clients that you, a document or they themselves have registered")
        .one_of({"operator", "document", "dynamic"});
}

}  // namespace

void keep(Client& client) {
    if (client.origin != model::Origin::operator_) client.removable_at.reset();
}

void add_client_commands(const Command& app, Invocation& invocation) {
    const Command group = app.add_group("client", "Register and change clients, the applications that request tokens");
    add_client_add_command(group, invocation);
    add_list(group, invocation);
    add_command(group, invocation, "show", "Show one client", "postern client show wiki", kClientId, show);
    add_client_set_command(group, invocation);
    add_client_secret_command(group, invocation);
    add_client_claim_commands(group, invocation);
    add_command(group, invocation, "disable", "Disable a client; its tokens are inactive until it is enabled",
                "postern client disable wiki", kClientId, disable);
    add_command(group, invocation, "enable", "Enable a disabled client", "postern client enable wiki", kClientId,
                enable);
    add_client_remove_command(group, invocation);
}

}  // namespace postern::cli
