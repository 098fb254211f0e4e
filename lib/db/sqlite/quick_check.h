// Has SQLite look through the pages of a database. Private to this module.
#pragma once

#include <sqlite3.h>

#include <string>

namespace postern::db {

struct QuickCheck {
    int result = SQLITE_OK;  ///< other than SQLITE_OK: it could not look at everything
    std::string fault;       ///< the first that it found, or why it could not look; "" when all is well
};

/// Stops where a progress handler of the connection says so.
QuickCheck quick_check(sqlite3* connection);

}  // namespace postern::db
