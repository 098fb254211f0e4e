// The WAL of one connection. Private to this module.
#pragma once

#include "db/sqlite/connection.h"
#include "db/sqlite/group_commit.h"

namespace postern::db {

/// Uses SQLite's own descriptor of the WAL, because the file of that name may be another one by now.
class WalFile : public Wal {
public:
    explicit WalFile(SqliteConnection& connection) : connection_(connection) {}

    bool sync() override;
    bool write_again() override;

private:
    SqliteConnection& connection_;
};

}  // namespace postern::db
