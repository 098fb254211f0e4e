// `postern client remove`: deletes one client, or all unused clients that registered themselves.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "cli/audit.h"
#include "cli/batches.h"
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

/// Prints a note that a removed client can come back.
void note_removed(const Client& client) {
    if (client.origin != model::Origin::document) return;
    print_note(
        "a user who approves the application of this document brings the client back; `postern client disable` keeps "
        "it away, and clientDocuments.deny all of its host");
}

void remove_one(const Invocation& invocation, const std::string& id) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const Client removed = db::write(database, Durability::full, [&](db::Transaction& transaction) {
        store::lock_access(transaction);  // its list goes with it, and a sign-in may be reading that
        Client client = require_client(transaction, id);
        if (client.site) throw Refused("client " + in_quotes(id) + " is a site; use `postern site remove`");
        store::remove_client(transaction, client.id);
        commit(transaction);
        return client;
    });
    note_done(invocation, {audit::client(removed.id)});
    note_removed(removed);
    if (invocation.json) return print_json(json::Object{{"client_id", id}});
    std::cout << "client " << in_quotes(id) << " is removed, with its grants, tokens and consents\n";
}

/// Deletes the clients that registered themselves and were not used, in batches.
void remove_unused(const Invocation& invocation, util::Seconds unused_for) {
    db::Database database = open_database(invocation.load_config(), Access::read_write);
    const auto ids = store::find_unused_registrations(database, now(), unused_for);
    std::int64_t removed = 0;
    const auto write = [&](db::Transaction& transaction, const model::ClientId& id) {
        // A user may have signed in to it meanwhile.
        store::lock_client(transaction, id);
        const bool is_unused = store::is_unused_registration(transaction.database(), id, now(), unused_for);
        return is_unused && store::remove_client(transaction, id) ? id : model::ClientId();
    };
    write_in_batches(database, ids, write, [&](const std::vector<model::ClientId>& done) {
        for (const model::ClientId& id : done) {
            if (id.empty()) continue;
            ++removed;
            note_done(invocation, {audit::client(id)});
        }
    });
    if (invocation.json) return print_json(json::Object{{"removed", removed}});
    std::cout << counted(removed, "client") << " that registered and was not used " << (removed == 1 ? "is" : "are")
              << " removed\n";
}

struct RemoveOptions {
    std::optional<std::string> id;
    std::optional<std::int64_t> unused_for;
};

void remove(const Invocation& invocation, const RemoveOptions& options) {
    if (options.id.has_value() == options.unused_for.has_value())
        throw UsageError("give the ID of a client, or --unused-for SECONDS for clients that registered themselves");
    if (options.id) return remove_one(invocation, *options.id);
    remove_unused(invocation, util::Seconds(*options.unused_for));
}

}  // namespace

void add_client_remove_command(const Command& group, Invocation& invocation) {
    const auto [command, options] =
        add_command<RemoveOptions>(group, invocation, "remove", "Delete a client with its grants, tokens and consents",
                                   "postern client remove wiki\n  postern client remove --unused-for 2592000", remove);
    command.argument(kClientId.name, options.id, kClientId.help);
    command
        .option("--unused-for", "SECONDS", options.unused_for,
                "Instead of ID: all clients that registered themselves and were not used for so many seconds, 86400 or "
                "more: the last use is stored once a day. Clients that you have changed or that have a live grant stay")
        .between(store::kUseIsToldBy.count(), std::int64_t{10} * 365 * 24 * 60 * 60);
}

}  // namespace postern::cli
