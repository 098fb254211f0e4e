// How PostgreSQL runs a prepared statement. It is prepared at its first run, with the types that its values have: text
// and bigint. Unprepared statements cost the server about ten times as much.
#include <algorithm>
#include <charconv>
#include <utility>

#include "db/error.h"
#include "db/postgres/connection.h"

namespace postern::db {
namespace {

// Types of PostgreSQL's catalog, where they never change.
constexpr Oid kText = 25;
constexpr Oid kBigint = 20;

// One for a connection that was lost while it was idle, one for a connection that is lost now.
constexpr int kMostRuns = 3;

constexpr int kBatch = 1000;
constexpr const char* kFetch = "FETCH 1000 FROM postern_list";

/// The highest N of a `$N`.
std::size_t count_parameters(std::string_view sql) {
    std::size_t most = 0;
    for (auto at = sql.find('$'); at != std::string_view::npos; at = sql.find('$', at + 1)) {
        std::size_t number = 0;
        std::from_chars(sql.data() + at + 1, sql.data() + sql.size(), number);
        most = std::max(most, number);
    }
    return most;
}

}  // namespace

PostgresStatement::PostgresStatement(PostgresConnection& connection, const char* sql, std::string name)
    : connection_(connection), sql_(sql), name_(std::move(name)), values_(count_parameters(sql)) {}

void PostgresStatement::bind(int number, std::string_view text) {
    if (text.find('\0') != std::string_view::npos)
        throw StoreError(std::string("PostgreSQL stores no text with a NUL: ") + sql_);
    value(number) = {kText, std::string(text), false};
}

void PostgresStatement::bind(int number, std::int64_t integer) {
    value(number) = {kBigint, std::to_string(integer), false};
}

void PostgresStatement::bind_null(int number, Stored as) {
    value(number) = {as == Stored::text ? kText : kBigint, "", true};
}

/// Within a transaction, which may have written, the rows are fetched at once.
void PostgresStatement::read_in_batches() { is_batched_ = !connection_.in_transaction(); }

bool PostgresStatement::step() {
    if (!result_) {
        if (is_batched_) open_cursor();
        result_ = is_batched_ ? next_batch() : run();
        row_ = -1;
    }
    if (++row_ < libpq().PQntuples(result_.get())) return true;
    if (!has_cursor_) return false;
    result_ = next_batch();
    row_ = 0;
    return libpq().PQntuples(result_.get()) > 0;
}

void PostgresStatement::open_cursor() {
    connection_.begin_snapshot();
    has_cursor_ = true;
    // Prepared for the types of its values, and once for each address of a text. It is as constant as `sql_`.
    if (declaration_.empty()) declaration_ = std::string("DECLARE postern_list NO SCROLL CURSOR FOR ") + sql_;
    const char* sql = declaration_.c_str();
    connection_.queue(connection_.prepare(sql), values_);
}

/// One that is not full is the last.
Result PostgresStatement::next_batch() {
    connection_.queue(connection_.prepare(kFetch), {});
    Result batch = connection_.fly();
    if (libpq().PQntuples(batch.get()) < kBatch) close_cursor();
    return batch;
}

void PostgresStatement::close_cursor() noexcept {
    if (std::exchange(has_cursor_, false)) connection_.end_snapshot();
}

Result PostgresStatement::run() {
    // Outside a transaction there are only reads, which can be repeated on a new connection.
    for (int left = kMostRuns;; --left) {
        try {
            connection_.queue(*this, values_);
            return connection_.fly();
        } catch (const StoreConflict&) {
            if (left == 1 || connection_.in_transaction()) throw;
        }
    }
}

void PostgresStatement::queue() { connection_.queue(*this, values_); }

std::int64_t PostgresStatement::changed_rows() const {
    const std::string_view digits = libpq().PQcmdTuples(result_.get());
    std::int64_t rows = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), rows);
    return rows;
}

int PostgresStatement::columns() const { return libpq().PQnfields(result_.get()); }

bool PostgresStatement::is_null(int column) const { return libpq().PQgetisnull(result_.get(), row_, column) != 0; }

std::string_view PostgresStatement::text(int column) const {
    return {libpq().PQgetvalue(result_.get(), row_, column),
            static_cast<std::size_t>(libpq().PQgetlength(result_.get(), row_, column))};
}

std::int64_t PostgresStatement::integer(int column) const {
    const std::string_view digits = text(column);
    if (digits == "t") return 1;  // of a condition; columns store 0 and 1
    std::int64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

void PostgresStatement::reset() noexcept {
    result_.reset();
    close_cursor();
    is_batched_ = false;
}

bool PostgresStatement::is_in_use() const { return result_ && row_ < libpq().PQntuples(result_.get()); }

}  // namespace postern::db
