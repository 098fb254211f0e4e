// The parts of a database engine under Database: a connection and its prepared statements. Private to this module.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/error.h"
#include "db/modes.h"

namespace postern::os {
class NewFiles;
}

namespace postern::db {

/// A statement of one connection: values go in, rows come out, and `reset` makes it ready for the next use. Everything
/// but `reset` throws StoreError.
class PreparedStatement {
public:
    PreparedStatement() = default;
    PreparedStatement(const PreparedStatement&) = delete;
    PreparedStatement& operator=(const PreparedStatement&) = delete;
    virtual ~PreparedStatement() = default;

    virtual const char* sql() const = 0;
    virtual int parameters() const = 0;

    // `number` counts from 1. Text is copied.
    virtual void bind(int number, std::string_view text) = 0;
    virtual void bind(int number, std::int64_t value) = 0;
    virtual void bind_null(int number, Stored as) = 0;

    /// Makes `step` read a list of any length, outside a transaction: an engine that would fetch all rows at once
    /// fetches them in batches, of one snapshot that lasts until the last row has been read, or `reset`.
    virtual void read_in_batches() {}
    virtual bool step() = 0;  ///< true: a row is there
    /// Runs the statement for a transaction: at once, or together with the next one that is not queued.
    virtual void queue() = 0;
    virtual std::int64_t changed_rows() const = 0;

    // The columns of the row; `column` counts from 0.
    virtual int columns() const = 0;
    virtual bool is_null(int column) const = 0;
    virtual std::string_view text(int column) const = 0;  ///< "" for NULL; valid until the next step
    virtual std::int64_t integer(int column) const = 0;   ///< 0 for NULL
    virtual void reset() noexcept = 0;
};

class Connection {
public:
    Connection(std::string place, Access rights, std::chrono::milliseconds lock_wait)
        : path(std::move(place)), access(rights), wait(lock_wait) {}
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    virtual ~Connection() = default;

    /// Returns the statement, which the connection keeps by the address of `sql`. Throws StoreError when the statement
    /// is still in use.
    virtual PreparedStatement& prepare(const char* sql) = 0;
    /// Returns the statements that were prepared so far, the driver's own too, in no order. For tests, which explain
    /// them.
    virtual std::vector<const char*> prepared() const = 0;

    // The work of Transaction and Snapshot. A transaction that is not committed is rolled back.
    virtual bool in_transaction() const = 0;
    virtual void begin(Durability durability, std::chrono::milliseconds lock_wait) = 0;
    virtual void commit(Durability durability) = 0;
    virtual void roll_back() noexcept = 0;
    virtual void begin_snapshot() = 0;
    virtual void end_snapshot() noexcept = 0;

    virtual int schema_version() = 0;
    virtual bool has_row_locks() const = 0;
    virtual std::chrono::milliseconds clock_offset() { return {}; }
    virtual std::string take_warning() { return {}; }
    virtual std::chrono::milliseconds away_for() const { return {}; }
    virtual bool has_moved() const { return false; }
    virtual void checkpoint_if_due() noexcept = 0;
    virtual void checkpoint() = 0;

    const std::string path;  ///< for messages
    const Access access;
    const std::chrono::milliseconds wait;
};

enum class Versions { this_one, any };

/// The number in the place of the schema's version when the store was moved away (db/move.h).
inline constexpr int kMovedVersion = -1;
[[noreturn]] void throw_moved(const std::string& place);

std::unique_ptr<Connection> open_sqlite(const std::string& path, Access access, std::chrono::milliseconds wait,
                                        Versions accepted);
std::unique_ptr<Connection> open_sqlite_in_memory();
void create_file(os::NewFiles& made, const std::string& path);

/// Opens a connection for `program`, whose name is in the role and in the files of the URI.
std::unique_ptr<Connection> open_postgres(const std::string& uri, std::string_view program, Access access,
                                          std::chrono::milliseconds wait);
/// Makes the tables of schema-postgresql.sql, all of them or none, with the rights of grants-postgresql.sql where the
/// server has the roles. Throws StoreUnusable when the tables are there.
void create_schema(const std::string& uri);
/// Begins a transaction in a database of a server that has the tables: made in it, or there before. Throws
/// StoreUnusable when the tables that were there are of another version.
std::unique_ptr<Connection> begin_with_tables(const std::string& uri);
/// schema-postgresql.sql as it was when the program was built.
extern const char* const kPostgresSchemaSql;

}  // namespace postern::db
