// One write for everything that a commit adds to SQLite's log.
#pragma once

#include <sqlite3.h>

namespace postern::db {

/// The VFS to open a database with: SQLite's default one, whose logs know JoinedWrites. nullptr, which means the
/// default one itself, when SQLite does not take it.
const char* joining_vfs();

/// While it lives, what SQLite writes to the log of this connection is held back until the frame that ends the
/// transaction is whole, and goes to the file as one piece before SQLite hears that it was written. Around COMMIT and
/// nothing else, under the write lock: SQLite tells nobody about a rollback, and what is held then would be written over what
/// others have committed meanwhile. What a COMMIT that failed has left is dropped. docs/decisions/0041.
class JoinedWrites {
public:
    explicit JoinedWrites(sqlite3* connection);
    JoinedWrites(const JoinedWrites&) = delete;
    JoinedWrites& operator=(const JoinedWrites&) = delete;
    ~JoinedWrites();

private:
    sqlite3_file* file_;  ///< none where the log is not ours
};

/// SQLite's own file object of the log; nullptr where there is none.
sqlite3_file* wal_of(sqlite3* connection);

}  // namespace postern::db
