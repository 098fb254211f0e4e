// A database as repositories see it: one connection, with transactions of explicit durability. What its two engines
// provide is in engine.h.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "db/error.h"
#include "db/modes.h"
#include "db/statement.h"

namespace postern::os {
class NewFiles;
}

namespace postern::db {

inline constexpr int kSchemaVersion = 5;

/// Returns whether `database` names a server (postgresql://...) and not a file.
bool is_uri(std::string_view database);

/// The name of the command as a program that works on a database.
inline constexpr std::string_view kCommand = "admin";

/// One statement in the words of each engine, where they differ.
struct Text {
    const char* sqlite;
    const char* postgres;
};

class Connection;
class Database;

/// A transaction. On a file it is BEGIN IMMEDIATE under the write lock; on a server it is READ COMMITTED, with locks of
/// rows. The destructor rolls back unless committed, and releases the locks. Repositories take a Transaction& for
/// everything that writes, so that a write without a durability decision does not compile. The product's code gets its
/// transactions from `write` (db/write.h).
class Transaction {
public:
    Transaction(Database& database, Durability durability);  ///< throws StoreBusy after the database's wait
    Transaction(Database& database, Durability durability, std::chrono::milliseconds wait);  ///< after `wait`
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction();

    /// Throws StoreError when the commit failed, and then nothing was written; StoreUnsynced when its sync failed, or
    /// when nothing says whether it happened.
    void commit();
    Database& database() { return database_; }

    /// Runs a statement that yields no rows, with `values` as `$1`, `$2`, …; returns the number of rows changed.
    template <class... Values>
    std::int64_t run(const char* sql, const Values&... values);
    template <class... Values>
    std::int64_t run(const Text& text, const Values&... values);

    /// Runs a statement whose result the caller does not need. A server is sent it together with the next statement
    /// that is run, or with the commit, which then throws its error.
    template <class... Values>
    void queue(const char* sql, const Values&... values);
    template <class... Values>
    void queue(const Text& text, const Values&... values);

    /// Queues `sql`, which selects rows `FOR NO KEY UPDATE` or locks tables: from here on this transaction sees what
    /// every transaction that had them locked has committed, and others wait for it. Does nothing where the engine has
    /// one writer at a time. Text that `values` refer to lives as long as the transaction, here and in `mark`.
    template <class... Values>
    void lock(const char* sql, const Values&... values);

    /// Notes `sql`, which selects a row that this transaction alone can have made. When the answer to a COMMIT is lost,
    /// that row decides whether the commit happened. Does nothing where an answer cannot be lost.
    template <class... Values>
    void mark(const char* sql, const Values&... values);

private:
    enum class Mark { found, missing, unknown };
    const char* in_words_of_engine(const Text& text) const;
    void settle(const std::string& reason);
    Mark look_for_mark();

    Database& database_;
    Durability durability_;
    bool open_ = false;
    std::vector<std::function<void()>> locks_;  ///< each waits for the transaction that has the lock
    std::function<bool()> has_mark_;
};

/// A frame for several reads of one snapshot. Needs no write lock and blocks no writer. Keep it short, because the WAL
/// cannot be reset meanwhile. Inside a transaction it has no effect.
class Snapshot {
public:
    explicit Snapshot(Database& database);
    Snapshot(const Snapshot&) = delete;
    Snapshot& operator=(const Snapshot&) = delete;
    ~Snapshot();

    /// Returns false where it is part of a transaction or of another snapshot.
    bool is_own() const { return open_; }

private:
    Database& database_;
    bool open_;
};

class Database {
public:
    /// Creates the file, its side files and the write lock from the embedded schema, and notes them in `made`; or the
    /// tables in the database that a URI names. Refuses (StoreUnusable) when the file or the tables exist.
    static void create(os::NewFiles& made, const std::string& path);
    /// Creates a whole database or nothing.
    static void create(const std::string& path);

    /// Opens an existing database of exactly kSchemaVersion; never creates one. `path` is a file or a URI. `lock_wait`
    /// bounds the wait for writers, and for each answer of a server.
    /// A server is asked as `program`: its role is postern_PROGRAM unless the URI names one.
    Database(const std::string& path, Access access, std::chrono::milliseconds lock_wait = std::chrono::seconds(5),
             std::string_view program = kCommand);
    /// Opens an existing database of any schema version, for `postern migrate` alone.
    static Database open_for_migration(const std::string& path,
                                       std::chrono::milliseconds lock_wait = std::chrono::seconds(5));
    /// Takes a connection that is open already: a test gives one that behaves in its own way.
    explicit Database(std::unique_ptr<Connection> connection);

    /// Makes a database for tests: in memory, schema loaded, no write lock.
    static Database in_memory();
    Database(Database&&) noexcept;
    ~Database();

    /// `sql` must be a string literal: statements are prepared once per process and kept by address.
    Statement prepare(const char* sql);

    /// Prepares a statement with its `values`: as many as the statement has parameters, in the order of their numbers.
    /// Text is copied. Throws StoreError for another number of values.
    template <class... Values>
    Statement query(const char* sql, const Values&... values) {
        Statement statement = prepare(sql);
        statement.bind_all(values...);
        return statement;
    }

    /// Prepares a statement for a list of any length, outside a transaction: a server sends its rows in batches, of one
    /// snapshot that lasts until the last row has been read or the statement is gone.
    template <class... Values>
    Statement list(const char* sql, const Values&... values) {
        Statement statement = query(sql, values...);
        statement.read_in_batches();
        return statement;
    }

    /// Returns whether transactions of several processes run side by side, so that they lock rows.
    bool has_row_locks() const;

    const std::string& path() const;
    std::chrono::milliseconds wait() const;  ///< for writers

    /// The engine's connection, for this module.
    Connection& connection() { return *connection_; }
    const Connection& connection() const { return *connection_; }

private:
    std::unique_ptr<Connection> connection_;
};

inline const char* Transaction::in_words_of_engine(const Text& text) const {
    return database_.has_row_locks() ? text.postgres : text.sqlite;
}

template <class... Values>
std::int64_t Transaction::run(const char* sql, const Values&... values) {
    return database_.query(sql, values...).execute();
}

template <class... Values>
std::int64_t Transaction::run(const Text& text, const Values&... values) {
    return run(in_words_of_engine(text), values...);
}

template <class... Values>
void Transaction::queue(const char* sql, const Values&... values) {
    database_.query(sql, values...).queue();
}

template <class... Values>
void Transaction::queue(const Text& text, const Values&... values) {
    queue(in_words_of_engine(text), values...);
}

template <class... Values>
void Transaction::lock(const char* sql, const Values&... values) {
    if (!database_.has_row_locks()) return;
    queue(sql, values...);
    locks_.push_back([this, sql, values...] { database_.query(sql, values...).step(); });
}

template <class... Values>
void Transaction::mark(const char* sql, const Values&... values) {
    if (!database_.has_row_locks()) return;
    has_mark_ = [this, sql, values...] { return database_.query(sql, values...).step(); };
}

/// schema.sql as it was when the program was built.
extern const char* const kSchemaSql;

}  // namespace postern::db
