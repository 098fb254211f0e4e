// Decides how the shared keys of one generation replace the earlier ones, and which node has them. Times of nodes are
// the database's, because the clocks of nodes may differ.
#include "store/shared_keys.h"

#include <algorithm>

#include "db/maintenance.h"

namespace postern::store {

SealedKeys find_sealed_keys(db::Database& database) {
    auto row = database.query("SELECT name, sealed, generation FROM key_files ORDER BY name");
    SealedKeys keys;
    while (row.step()) {
        std::string name;
        std::int64_t generation = 0;
        row >> name;
        row >> keys.files[name] >> generation;
        keys.generation = std::max(keys.generation, generation);
    }
    return keys;
}

void lock_sealed_keys(db::Transaction& transaction) {
    // A row that is there also before any key is shared.
    transaction.lock("SELECT 1 FROM schema_version FOR NO KEY UPDATE");
}

void replace_sealed_keys(db::Transaction& transaction, const SealedKeys& keys, util::Time now) {
    for (const auto& [name, sealed] : keys.files) {
        transaction.run(
            "INSERT INTO key_files (name, sealed, generation, changed_at) VALUES ($1, $2, $3, $4)"
            " ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, generation = excluded.generation,"
            " changed_at = excluded.changed_at",
            name, sealed, keys.generation, now);
        transaction.mark("SELECT 1 FROM key_files WHERE sealed = $1", sealed);
    }
    transaction.run("DELETE FROM key_files WHERE generation <> $1", keys.generation);
}

void remove_sealed_keys(db::Transaction& transaction) {
    transaction.run("DELETE FROM key_files");
    transaction.run("DELETE FROM key_nodes");
}

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
        node, generation, db::clock_offset(transaction.database()).count());
}

bool remove_key_node(db::Transaction& transaction, const std::string& node) {
    return transaction.run("DELETE FROM key_nodes WHERE node = $1", node) == 1;
}

}  // namespace postern::store
