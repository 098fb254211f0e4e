// `postern key share`, `key sync` and `key nodes`: several nodes have the same keys.
#include <iostream>

#include "cli/audit.h"
#include "cli/key/key.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "db/write.h"

namespace postern::cli {
namespace {

struct ShareOptions {
    bool renew = false;
    bool force = false;
    bool stop = false;
};

void stop(const Invocation& invocation, const config::Config& config) {
    db::Database database = open_database(config, db::Access::read_write);
    db::write(database, db::Durability::full, [](db::Transaction& transaction) {
        store::remove_sealed_keys(transaction);
        transaction.commit();
    });
    keys::remove_transport_key(config.keys);
    note_done(invocation);
    if (invocation.json) return print_json(json::Object{{"generation", 0}});
    std::cout << "keys are no longer shared; remove transport.key from the other nodes, too\n";
}

void share(const Invocation& invocation, const ShareOptions& options) {
    const config::Config config = invocation.load_config();
    require_server(config);
    if (options.stop) return stop(invocation, config);
    const keys::KeyDirectory directory(config.keys);
    const std::int64_t generation = share_keys(config, directory, {options.renew, options.force});
    note_done(invocation);
    if (invocation.json) return print_json(json::Object{{"generation", generation}});
    std::cout << "generation " << generation << " is shared; other nodes need " << config.keys << "/transport.key\n";
}

void require_node(const config::Config& config) {
    require_server(config);
    if (!config.node.empty()) return;
    throw UsageError("\"node\" is not set in the configuration: give each node a name of one or two characters");
}

void sync(const Invocation& invocation, const bool& accept_older) {
    const config::Config config = invocation.load_config();
    require_node(config);
    keys::KeyDirectory directory(config.keys);
    const TakenKeys taken = take_shared_keys(config, directory, accept_older);
    if (!taken.changed.empty()) note_done(invocation, {{"file", config.keys + "/jwks.json"}});
    if (invocation.json) {
        return print_json(json::Object{{"node", config.node},
                                       {"generation", taken.generation},
                                       {"changed", json::strings(taken.changed)},
                                       {"clock_offset_ms", std::int64_t{taken.clock_offset.count()}}});
    }
    std::cout << "generation " << taken.generation << ": "
              << (taken.changed.empty() ? "nothing to do" : "changed " + join(taken.changed, ", ")) << '\n';
}

json::Object to_json(const store::KeyNode& node) {
    return json::Object{{"node", node.node},
                        {"generation", node.generation},
                        {"clock_offset_ms", std::int64_t{node.clock_offset.count()}},
                        {"seen_at", util::to_epoch(node.seen_at)}};
}

void forget(const Invocation& invocation, db::Database& database, const std::string& name) {
    const bool is_removed = db::write(database, db::Durability::full, [&](db::Transaction& transaction) {
        const bool found = store::remove_key_node(transaction, name);
        transaction.commit();
        return found;
    });
    if (!is_removed) throw Refused("there is no node " + in_quotes(name) + "; `postern key nodes` shows all");
    note_done(invocation);
    if (invocation.json) return print_json(json::Object{{"node", name}});
    std::cout << "node " << name << " is forgotten, until `postern key sync` runs on it\n";
}

void nodes(const Invocation& invocation, const std::string& forgotten) {
    const config::Config config = invocation.load_config();
    require_server(config);
    db::Database database = open_database(config, forgotten.empty() ? db::Access::query_only : db::Access::read_write);
    if (!forgotten.empty()) return forget(invocation, database, forgotten);
    const auto all = store::list_key_nodes(database);
    if (invocation.json) return print_json_rows(all, to_json);
    print_table_rows({"NODE", "GENERATION", "CLOCK", "SEEN"}, all, [](const store::KeyNode& node) {
        return std::vector{node.node, std::to_string(node.generation),
                           std::to_string(node.clock_offset.count()) + " ms", to_text(node.seen_at)};
    });
}

}  // namespace

void add_share_command(const Command& group, Invocation& invocation) {
    const auto [command, options] = add_command<ShareOptions>(
        group, invocation, "share", "Hand the keys of this node to the other nodes of a PostgreSQL database",
        "postern key share", share);
    command.explain(
        "Puts the key directory into the database, sealed with transport.key (AES-256-GCM), which is made if it is "
        "missing. `postern init` does this by itself. Run it after a database file was moved to a server, after a "
        "change of the keys that did not reach the database, or to keep the keys of this node after an older database "
        "was restored. Carry transport.key to each other node once, with mode 0600.");
    const Option renew = command.flag("--renew", options.renew,
                                      "Make a new transport.key, if it was disclosed or lost: the other nodes need it");
    const Option force = command.flag("--force", options.force,
                                      "Share even if the database has later keys: keys that this node lacks end");
    command
        .flag("--stop", options.stop,
              "Remove the keys from the database and transport.key from this node, where configuration management "
              "copies the key directory")
        .excludes(renew)
        .excludes(force);
}

void add_sync_command(const Command& group, Invocation& invocation) {
    const auto [command, accept_older] =
        add_command<bool>(group, invocation, "sync", "Take over the keys that another node has made or removed",
                          "postern key sync", sync);
    command.explain(
        "Where several nodes have one PostgreSQL database, run it on each node each minute (examples/systemd has the "
        "timer). It makes the key directory equal to that of the node that changed the keys last, and writes "
        "jwks.json last; running processes follow. New files get the owner, group and mode of their neighbours. "
        "`postern key nodes` shows the result. It needs transport.key of that node in the key directory, and \"node\" "
        "in the configuration.\n"
        "Exits 1 and changes nothing when the keys in the database are older than those of the node, because a "
        "restored database must not bring stolen keys back. Where `postern publish` is used, run it after this.");
    command.flag("--accept-older", accept_older,
                 "Take the keys of a restored database, and drop a change of this node that did not reach it");
}

void add_nodes_command(const Command& group, Invocation& invocation) {
    const auto [command, forgotten] =
        add_command<std::string>(group, invocation, "nodes", "List the nodes that share the keys",
                                 "postern key nodes\n"
                                 "  postern key nodes --forget c",
                                 nodes);
    command.explain(
        "GENERATION counts the changes of the keys that a node has taken over, CLOCK is its clock minus that of the "
        "database, SEEN its last `postern key sync`.");
    command.option("--forget", "NODE", forgotten, "Remove a node that will not come back from the list");
}

}  // namespace postern::cli
