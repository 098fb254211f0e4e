// Decides how the shared keys of one generation take the place of those before.
#include "store/sealed_keys.h"

#include <algorithm>

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

}  // namespace postern::store
