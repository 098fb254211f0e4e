// Decides how values go into SQL statements and come out of them; SQL text and values never mix.
#include <string>
#include <utility>

#include "db/sqlite/connection.h"

namespace postern::db {

void throw_store_error(sqlite3* connection, int result, std::string_view doing) {
    std::string text(doing);
    text += ": ";
    text += sqlite3_errstr(result);
    text += " (" + std::to_string(result) + "): ";
    text += sqlite3_errmsg(connection);
    const int primary = result & 0xff;
    if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED) throw StoreBusy(text);
    throw StoreError(text);
}

Statement::Statement(sqlite3* connection, sqlite3_stmt* statement) : connection_(connection), statement_(statement) {}

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      statement_(std::exchange(other.statement_, nullptr)),
      next_column_(other.next_column_) {}

Statement::~Statement() {
    if (!statement_) return;
    sqlite3_reset(statement_);  // ends the read transaction of a statement of its own
    sqlite3_clear_bindings(statement_);
}

void Statement::check_count(std::size_t values) const {
    const int parameters = sqlite3_bind_parameter_count(statement_);
    if (static_cast<std::size_t>(parameters) == values) return;
    throw StoreError(std::to_string(values) + " values for " + std::to_string(parameters) +
                     " parameters: " + sqlite3_sql(statement_));
}

void Statement::bind(int number, std::string_view text) {
    check(sqlite3_bind_text64(statement_, number, text.data() ? text.data() : "", text.size(), SQLITE_TRANSIENT,
                              SQLITE_UTF8));
}

void Statement::bind(int number, std::int64_t value) { check(sqlite3_bind_int64(statement_, number, value)); }

void Statement::bind_null(int number) { check(sqlite3_bind_null(statement_, number)); }

bool Statement::step() {
    next_column_ = 0;
    int result = sqlite3_step(statement_);
    for (int tries = 0; is_transient(result) && tries < kTransientTries; ++tries) {
        sqlite3_reset(statement_);
        result = sqlite3_step(statement_);
    }
    if (result == SQLITE_ROW) return true;
    if (result != SQLITE_DONE) check(result);
    return false;
}

std::int64_t Statement::execute() {
    if (step()) throw StoreError(std::string("a statement without rows gave one: ") + sqlite3_sql(statement_));
    return sqlite3_changes64(connection_);
}

int Statement::next_column() {
    if (next_column_ >= sqlite3_column_count(statement_))
        throw StoreError(std::string("more columns are read than there are: ") + sqlite3_sql(statement_));
    return next_column_++;
}

bool Statement::skip_null() {
    if (sqlite3_column_type(statement_, next_column()) == SQLITE_NULL) return true;
    --next_column_;
    return false;
}

Statement& Statement::operator>>(std::string& value) {
    value = text(next_column());
    return *this;
}

Statement& Statement::operator>>(std::int64_t& value) {
    value = integer(next_column());
    return *this;
}

Statement& Statement::operator>>(bool& value) {
    value = integer(next_column()) != 0;
    return *this;
}

Statement& Statement::operator>>(util::Time& value) {
    value = util::from_epoch(integer(next_column()));
    return *this;
}

Statement& Statement::operator>>(util::Seconds& value) {
    value = util::Seconds(integer(next_column()));
    return *this;
}

std::string Statement::text(int column) const {
    // Not sqlite3_column_text: it would first copy the value to put a NUL behind it.
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    if (!bytes) return {};
    return std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_, column); }

void Statement::check(int result) const {
    if (result != SQLITE_OK) throw_store_error(connection_, result, sqlite3_sql(statement_));
}

}  // namespace postern::db
