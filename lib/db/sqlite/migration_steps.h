// The steps from each version of the schema to the next.
#pragma once

#include <span>

#include "db/database.h"

namespace postern::db {

struct MigrationStep {
    int from;                                 ///< a version of the schema
    std::span<const char* const> statements;  ///< the last sets the next version
    void (*fill)(Database& database);         ///< afterwards, what SQL cannot compute; nullptr: nothing
};

/// Returns the steps, the oldest first, and one for each version before db::kSchemaVersion.
std::span<const MigrationStep> migration_steps();

}  // namespace postern::db
