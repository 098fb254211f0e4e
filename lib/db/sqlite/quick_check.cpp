// What SQLite finds when it looks through the pages of a database.
#include "db/sqlite/quick_check.h"

namespace postern::db {

QuickCheck quick_check(sqlite3* connection) {
    std::string said;
    const auto note = [](void* text, int, char** columns, char**) {
        if (columns[0]) *static_cast<std::string*>(text) = columns[0];
        return 0;
    };
    const int result = sqlite3_exec(connection, "PRAGMA quick_check(1)", note, &said, nullptr);
    if (result != SQLITE_OK) said = sqlite3_errmsg(connection);
    return {result, said == "ok" ? std::string() : said};
}

}  // namespace postern::db
