// `postern key nodes`: lists the nodes that share the keys.
#include <cstdlib>
#include <iostream>
#include <memory>

#include "cli/audit.h"
#include "cli/key/key.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "db/write.h"

namespace postern::cli {
namespace {

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
    std::vector<std::vector<std::string>> rows;
    for (const store::KeyNode& node : all) {
        rows.push_back({node.node, std::to_string(node.generation), std::to_string(node.clock_offset.count()) + " ms",
                        to_text(node.seen_at)});
    }
    print_table({"NODE", "GENERATION", "CLOCK", "SEEN"}, rows);
}

}  // namespace

void add_nodes_command(const Command& group, Invocation& invocation) {
    auto forgotten = std::make_shared<std::string>();
    const Command command = add_command(group, invocation, "nodes", "List the nodes that share the keys",
                                        "postern key nodes\n"
                                        "  postern key nodes --forget c",
                                        [&invocation, forgotten] { nodes(invocation, *forgotten); });
    command.explain(
        "GENERATION counts the changes of the keys that a node has taken over, CLOCK is its clock minus that of the "
        "database, SEEN its last `postern key sync`.");
    command.option("--forget", "NODE", *forgotten, "Remove a node that will not come back from the list");
}

}  // namespace postern::cli
