// Decides what is known about the nodes of an installation. Times are the database's, because those of nodes may
// differ.
#include "store/key_nodes.h"

namespace postern::store {

using std::chrono::milliseconds;

std::vector<KeyNode> list_key_nodes(db::Database& database) {
    auto row = database.query(
        "SELECT node, generation, clock_offset, seen_at,"
        " CAST(extract(epoch FROM clock_timestamp()) AS bigint) - seen_at FROM key_nodes ORDER BY node");
    std::vector<KeyNode> nodes;
    while (row.step()) {
        KeyNode& node = nodes.emplace_back();
        std::int64_t offset = 0;
        row >> node.node >> node.generation >> offset >> node.seen_at >> node.unseen_for;
        node.clock_offset = milliseconds(offset);
    }
    return nodes;
}

void save_key_node(db::Transaction& transaction, const std::string& node, std::int64_t generation) {
    transaction.run(
        "INSERT INTO key_nodes (node, generation, clock_offset, seen_at)"
        " VALUES ($1, $2, $3, CAST(extract(epoch FROM clock_timestamp()) AS bigint))"
        " ON CONFLICT (node) DO UPDATE SET generation = excluded.generation, clock_offset = excluded.clock_offset,"
        " seen_at = excluded.seen_at",
        node, generation, transaction.database().clock_offset().count());
}

bool remove_key_node(db::Transaction& transaction, const std::string& node) {
    return transaction.run("DELETE FROM key_nodes WHERE node = $1", node) == 1;
}

}  // namespace postern::store
