// Tables `key_files` and `key_nodes` of PostgreSQL: the shared keys, and the nodes that take them.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

struct SealedKeys {
    std::int64_t generation = 0;               ///< the latest of all rows; 0: no keys are shared
    std::map<std::string, std::string> files;  ///< what is sealed, by the name of the file
};

SealedKeys find_sealed_keys(db::Database& database);

/// Keeps other transactions from replacing the set until this one ends.
void lock_sealed_keys(db::Transaction& transaction);

/// Replaces the whole set.
void replace_sealed_keys(db::Transaction& transaction, const SealedKeys& keys, util::Time now);

void remove_sealed_keys(db::Transaction& transaction);

struct KeyNode {
    std::string node;
    std::int64_t generation = 0;
    std::chrono::milliseconds clock_offset{};  ///< its clock minus that of the database
    util::Time seen_at{};                      ///< by the clock of the database
    util::Seconds unseen_for{};
};

/// The time after which a node is not expected to take keys soon: the timer of `key sync` runs each minute.
inline constexpr util::Seconds kLongUnseen{600};

/// Returns the nodes, by name.
std::vector<KeyNode> list_key_nodes(db::Database& database);

/// Notes that the node, which is this one, has the generation, now by the clock of the database.
void save_key_node(db::Transaction& transaction, const std::string& node, std::int64_t generation);

bool remove_key_node(db::Transaction& transaction, const std::string& node);

}  // namespace postern::store
