// A connection to PostgreSQL. Private to this module.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "db/engine.h"
#include "db/postgres/connection_options.h"
#include "db/postgres/libpq.h"
#include "os/file_lock.h"

namespace postern::db {

class PostgresConnection;

struct PostgresValue {
    Oid type = 0;
    std::string text;
    bool is_null = false;
};

/// All rows of a result are fetched at once, unless they are read in batches: no statement of the serving processes
/// returns many.
class PostgresStatement final : public PreparedStatement {
public:
    /// `name`: of the statement on the server, unique in the connection.
    PostgresStatement(PostgresConnection& connection, const char* sql, std::string name);

    const char* sql() const override { return sql_; }
    int parameters() const override { return static_cast<int>(values_.size()); }
    void bind(int number, std::string_view text) override;
    void bind(int number, std::int64_t value) override;
    void bind_null(int number, Stored as) override;
    void read_in_batches() override;
    bool step() override;
    void queue() override;
    std::int64_t changed_rows() const override;
    int columns() const override;
    bool is_null(int column) const override;
    std::string_view text(int column) const override;
    std::int64_t integer(int column) const override;
    void reset() noexcept override;

    bool is_in_use() const;
    const std::string& name() const { return name_; }
    /// The connection in which the server knows the statement, counted from 1; 0: none.
    int prepared_in = 0;

private:
    PostgresValue& value(int number) { return values_.at(static_cast<std::size_t>(number) - 1); }
    Result run();
    void open_cursor();
    Result next_batch();
    void close_cursor() noexcept;

    PostgresConnection& connection_;
    const char* sql_;
    std::string name_;
    std::vector<PostgresValue> values_;
    Result result_;
    int row_ = -1;
    bool is_batched_ = false;
    bool has_cursor_ = false;
    std::string declaration_;  ///< of the cursor
};

class PostgresConnection : public Connection {
public:
    /// Connects when it is first used, and again after a connection was lost. Each answer of the server is waited for
    /// as long as `patience`. Throws StoreUnusable for a URI that cannot be used.
    PostgresConnection(const std::string& uri, std::string_view program, Access rights,
                       std::chrono::milliseconds patience, Versions accepted);
    ~PostgresConnection() override;

    PostgresStatement& prepare(const char* sql) override;
    std::vector<const char*> prepared() const override;
    bool in_transaction() const override { return open_; }
    void begin(Durability durability, std::chrono::milliseconds lock_wait) override;
    void commit(Durability durability) override;
    void roll_back() noexcept override;
    void begin_snapshot() override;
    void end_snapshot() noexcept override;
    int schema_version() override;
    bool has_row_locks() const override { return true; }
    std::chrono::milliseconds clock_offset() override;
    std::string take_warning() override { return std::exchange(warning_, {}); }
    std::chrono::milliseconds away_for() const override;
    void checkpoint_if_due() noexcept override {}
    void checkpoint() override {}

    /// Runs commands behind the queued ones. Throws the exception for the server's error; a connection that cannot be
    /// used any more is closed. `doing` names them in an error; nullptr: they name themselves.
    Result run(const char* commands, const char* doing = nullptr);

    /// Puts `statement` into the next flight.
    void queue(PostgresStatement& statement, std::vector<PostgresValue> values);
    /// Sends what is queued, each statement prepared before its first use, and waits for all answers. Returns the last
    /// one. Throws what the first error means: the server has run nothing behind it.
    Result fly();

    /// Connects when there is no connection, and outside a transaction also when it is an old one. Throws StoreBusy
    /// when no server answers, StoreUnusable when its tables are of another version.
    void connect_if_needed();
    /// Closes a connection that is older than a process may stay on one server. Not within a transaction or a snapshot.
    void close_if_old() noexcept;
    /// Throws StoreUnusable when the tables are of another version, or moved away.
    void check_version();

private:
    void connect();
    bool try_to_connect();
    std::string why_not() const;
    void set_up();
    void examine_session();
    void set_session();
    void compare_clocks(std::chrono::milliseconds asked, std::chrono::milliseconds server);
    void require_clock();
    void limit_waits(std::chrono::milliseconds lock_wait);
    void close() noexcept;
    struct Queued {
        PostgresStatement* statement;
        std::vector<PostgresValue> values;
    };
    struct Awaited {
        PostgresStatement* statement;
        bool is_preparation;
    };
    std::vector<Awaited> send(const std::vector<Queued>& flight);
    Result wait_for_answers(const std::vector<Awaited>& awaited);
    [[noreturn]] void refuse(const Result& error, std::span<const Awaited> unanswered, os::Deadline deadline);
    void end_flight(os::Deadline deadline);
    Result next_result(os::Deadline deadline, const char* doing);
    void wait_for_socket(os::Deadline deadline, bool is_flushed);
    [[noreturn]] void throw_broken(const char* doing);

    const ConnectionOptions options_;
    const Versions accepted_;
    const bool is_command_;
    PGconn* connection_ = nullptr;
    std::chrono::steady_clock::time_point next_try_;  ///< not to be asked before, because it was away
    std::string last_reason_;
    std::optional<std::chrono::steady_clock::time_point>
        away_since_;  ///< the first try that failed; none since then did not
    int session_ = 0;
    std::chrono::steady_clock::time_point connected_at_;
    std::chrono::milliseconds lock_timeout_{};  ///< of the role; 0: none
    bool is_pooled_ = false;  ///< the next transaction, or read, may meet another session of the server
    bool open_ = false;       ///< a transaction or a snapshot
    bool begun_ = false;      ///< and its BEGIN has been sent
    bool warned_ = false;     ///< the server has sent a warning since BEGIN
    bool refused_ =
        false;  ///< the server has not run the last statement of the last flight, because of another's error
    std::chrono::milliseconds clock_offset_{};
    std::string warning_;      ///< not yet taken
    std::string clock_fault_;  ///< why nothing is written with this connection; "": its clock will do
    std::map<const char*, PostgresStatement> statements_;
    std::vector<Queued> queue_;
};

}  // namespace postern::db
