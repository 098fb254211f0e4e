// The log of one connection. Private to this module.
#pragma once

#include "db/sqlite/connection.h"
#include "db/sqlite/group_commit.h"

namespace postern::db {

/// Reaches the log through SQLite's own descriptor: closing another of the same process would drop no lock on the log,
/// but one opened beside it could be another file by now.
class WalFile : public Wal {
public:
    explicit WalFile(Database& database, sqlite3* connection) : database_(database), connection_(connection) {}

    bool sync() override;
    bool write_again() override;

private:
    Database& database_;
    sqlite3* connection_;
};

}  // namespace postern::db
