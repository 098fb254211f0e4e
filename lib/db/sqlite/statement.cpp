// How SQLite runs a prepared statement.
#include <algorithm>
#include <cstdlib>
#include <string>

#include "db/sqlite/connection.h"

namespace postern::db {
namespace {

int note_number(void* number, int, char** columns, char**) {
    *static_cast<int*>(number) = columns[0] ? std::atoi(columns[0]) : 0;
    return 0;
}

/// Its tables are gone, for a process that has it open still.
bool is_moved(sqlite3* connection) {
    int version = 0;
    sqlite3_exec(connection, "PRAGMA user_version", note_number, &version, nullptr);
    return version == kMovedVersion;
}

}  // namespace

void throw_store_error(sqlite3* connection, int result, std::string_view doing) {
    std::string text(doing);
    text += ": ";
    text += sqlite3_errstr(result);
    text += " (" + std::to_string(result) + "): ";
    text += sqlite3_errmsg(connection);
    const int primary = result & 0xff;
    if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) throw StoreBusy(text);
    if (primary == SQLITE_ERROR && is_moved(connection)) throw_moved(sqlite3_db_filename(connection, "main"));
    throw StoreError(text);
}

SqliteStatement::SqliteStatement(sqlite3* connection, const char* sql) : connection_(connection), sql_(sql) {
    // The number is what it says in `?1`; `$1` would be a name, and numbered by where it stands first.
    std::string numbered(sql);
    std::ranges::replace(numbered, '$', '?');
    const auto prepare = [&] {
        return sqlite3_prepare_v3(connection, numbered.c_str(), -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr);
    };
    int result = prepare();
    for (int tries = 0; is_transient(result) && tries < kTransientTries; ++tries) result = prepare();
    check(result);
}

SqliteStatement::~SqliteStatement() { sqlite3_finalize(statement_); }

int SqliteStatement::parameters() const { return sqlite3_bind_parameter_count(statement_); }

void SqliteStatement::bind(int number, std::string_view text) {
    check(sqlite3_bind_text64(statement_, number, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
}

void SqliteStatement::bind(int number, std::int64_t value) { check(sqlite3_bind_int64(statement_, number, value)); }

void SqliteStatement::bind_null(int number, Stored) { check(sqlite3_bind_null(statement_, number)); }

bool SqliteStatement::step() {
    int result = sqlite3_step(statement_);
    for (int tries = 0; is_transient(result) && tries < kTransientTries; ++tries) {
        sqlite3_reset(statement_);
        result = sqlite3_step(statement_);
    }
    if (result == SQLITE_ROW) return true;
    if (result != SQLITE_DONE) check(result);
    return false;
}

std::int64_t SqliteStatement::changed_rows() const { return sqlite3_changes64(connection_); }

int SqliteStatement::columns() const { return sqlite3_column_count(statement_); }

bool SqliteStatement::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

std::string_view SqliteStatement::text(int column) const {
    // Not sqlite3_column_text: it would first copy the value to put a NUL behind it.
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    if (!bytes) return {};
    return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::int64_t SqliteStatement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

void SqliteStatement::reset() noexcept {
    sqlite3_reset(statement_);  // ends the read transaction of a statement of its own
    sqlite3_clear_bindings(statement_);
}

bool SqliteStatement::is_in_use() const { return sqlite3_stmt_busy(statement_) != 0; }

void SqliteStatement::check(int result) const {
    if (result != SQLITE_OK) throw_store_error(connection_, result, sql_);
}

}  // namespace postern::db
