// Table key_files of PostgreSQL: the files of the key directory as they are handed to other nodes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "db/database.h"
#include "util/clock.h"

namespace postern::store {

struct SealedKeys {
    std::int64_t generation = 0;               ///< the latest of all rows; 0: no keys are shared
    std::map<std::string, std::string> files;  ///< what is sealed, by the name of the file
};

SealedKeys find_sealed_keys(db::Database& database);

/// Until the end of the transaction no other one replaces them.
void lock_sealed_keys(db::Transaction& transaction);

/// In the place of all that are there.
void replace_sealed_keys(db::Transaction& transaction, const SealedKeys& keys, util::Time now);

void remove_sealed_keys(db::Transaction& transaction);

}  // namespace postern::store
