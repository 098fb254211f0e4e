// Table key_nodes of PostgreSQL: the nodes that take the shared keys.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

struct KeyNode {
    std::string node;
    std::int64_t generation = 0;
    std::chrono::milliseconds clock_offset{};  ///< its clock minus that of the database
    util::Time seen_at{};                      ///< by the clock of the database
    util::Seconds unseen_for{};
};

/// The timer of `key sync` runs each minute: a node that was not seen for longer is not expected to take keys soon.
inline constexpr util::Seconds kLongUnseen{600};

/// By name.
std::vector<KeyNode> list_key_nodes(db::Database& database);

/// Notes that the node, which is this one, has the generation, now by the clock of the database.
void save_key_node(db::Transaction& transaction, const std::string& node, std::int64_t generation);

bool remove_key_node(db::Transaction& transaction, const std::string& node);

}  // namespace postern::store
