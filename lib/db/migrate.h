// Brings the database of an earlier release to the schema of this one.
#pragma once

#include <chrono>
#include <string>

#include "db/database.h"

namespace postern::db {

struct Migration {
    int from = 0;
    int to = 0;        ///< kSchemaVersion
    std::string copy;  ///< the database as it was; "" when there was nothing to do
};

/// All steps or none: one transaction, with the write lock held from before the copy is made until it is committed. The
/// copy lies next to the database, named after the version it has: `postern.db.v1`. Throws StoreUnusable for a schema
/// that is newer or that no release had, and when there is such a copy already.
Migration migrate(const std::string& path, std::chrono::milliseconds lock_wait = std::chrono::seconds(5));

}  // namespace postern::db
