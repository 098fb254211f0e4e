// The log of one connection. Private to this module.
#pragma once

#include "store/connection.h"
#include "store/log_sync.h"

namespace postern::store {

/// Reaches the log through SQLite's own descriptor: closing another of the same process would drop no lock on the log,
/// but one opened beside it could be another file by now.
class LogFile : public Log {
public:
    explicit LogFile(Database& database, sqlite3* connection) : database_(database), connection_(connection) {}

    bool sync() override;
    bool write_again() override;

private:
    Database& database_;
    sqlite3* connection_;
};

}  // namespace postern::store
