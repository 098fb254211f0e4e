// Decides in which order a store is copied, compared, committed and taken out of service.
#include "db/move.h"

#include <algorithm>

#include "db/copy_rows.h"
#include "db/engine.h"
#include "db/error.h"
#include "db/sqlite/new_file.h"
#include "db/tables.h"
#include "db/write.h"
#include "os/held_signals.h"

namespace postern::db {
namespace {

constexpr std::chrono::seconds kWriterWait{5};   // for the write lock of a file
constexpr std::chrono::minutes kServerWait{10};  // for one answer
constexpr std::chrono::minutes kLockWait{1};     // until all tables of a server are locked

std::string names_of(const std::vector<Table>& tables) {
    std::string names;
    for (const Table& table : tables) names += (names.empty() ? "" : ", ") + quoted(table.name);
    return names;
}

enum class Locked { writers, everyone };

/// Nothing where the engine has one writer at a time: it waits already, and a reader keeps what it has begun to read.
void lock_tables(Connection& connection, const std::vector<Table>& tables, Locked locked) {
    if (!connection.has_row_locks()) return;
    execute(connection, "LOCK TABLE " + names_of(tables) + " IN " +
                            (locked == Locked::everyone ? "ACCESS EXCLUSIVE" : "EXCLUSIVE") + " MODE");
}

/// Once more after a deadlock, and after a wait for a lock that was too long: other processes take several as well.
template <class Action, class Undo>
void retry(Action action, Undo undo) {
    for (Retries retries(kLockWait);;) {
        try {
            return action();
        } catch (const CommitUnknown&) {
            throw;
        } catch (const StoreBusy& busy) {
            undo();
            retries.pause_after(StoreConflict(busy.what(), StoreConflict::Kind::transient));
        }
    }
}

/// The store that is moved away, in a transaction that is rolled back unless `leave` was called.
class Source {
public:
    Source(const std::string& place, bool lock_writers)
        : connection_(open(place, lock_writers ? Access::read_write : Access::query_only)) {
        if (!lock_writers) {
            connection_->begin_snapshot();
            check_right_to_mark();
            return;
        }
        retry(
            [&] {
                connection_->begin(Durability::full, kWriterWait);
                check_right_to_mark();
                lock_tables(*connection_, read_tables(*connection_), Locked::writers);
            },
            [&] { connection_->roll_back(); });
    }
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source() {
        if (connection_->in_transaction()) connection_->roll_back();
    }

    Connection& connection() { return *connection_; }

    /// Takes effect with `leave`. The tables get other names, because a process that has a connection does not look at
    /// the version again.
    void mark() {
        const auto tables = read_tables(*connection_);
        if (connection_->has_row_locks()) lock_out_readers(tables);
        for (const Table& table : tables)
            execute(*connection_, "ALTER TABLE " + quoted(table.name) + " RENAME TO " + quoted("moved_" + table.name));
        const std::string version = std::to_string(kMovedVersion);
        execute(*connection_, connection_->has_row_locks() ? "UPDATE schema_version SET version = " + version
                                                           : "PRAGMA user_version = " + version);
    }

    void leave() { connection_->commit(Durability::full); }

private:
    static constexpr const char* kOfAnotherOwner =
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = CAST(current_schema() AS regnamespace)"
        " AND NOT pg_has_role(relowner, 'USAGE') ORDER BY relname LIMIT 1";

    static std::unique_ptr<Connection> open(const std::string& place, Access access) {
        if (is_uri(place)) return open_postgres(place, kCommand, access, kServerWait);
        return open_sqlite(place, access, kWriterWait, Versions::this_one);
    }

    /// Refuses before anything is copied what would fail behind it.
    void check_right_to_mark() {
        if (!connection_->has_row_locks()) return;
        InUse other(connection_->prepare(kOfAnotherOwner));
        if (!other->step()) return;
        throw StoreUnusable(connection_->path + ": the table " + std::string(other->text(0)) +
                            " belongs to another role, and its owner alone can take it out of service: name that role "
                            "in the URI (user=), or grant it to the role of the command");
    }

    void lock_out_readers(const std::vector<Table>& tables) {
        execute(*connection_, "SAVEPOINT copied");
        retry([&] { lock_tables(*connection_, tables, Locked::everyone); },
              [&] { execute(*connection_, "ROLLBACK TO copied"); });
    }

    std::unique_ptr<Connection> connection_;
};

/// Where the copy goes. What is not kept is undone.
class Target {
public:
    Target() = default;
    Target(const Target&) = delete;
    Target& operator=(const Target&) = delete;
    virtual ~Target() = default;
    virtual Connection& connection() = 0;
    virtual void stop_if_asked() const {}  ///< throws when a signal has arrived that waits
    virtual void complete() = 0;           ///< all that may fail before `keep`
    virtual void keep() = 0;               ///< from now on it is there
    virtual void prepare_use() = 0;
};

class ServerTarget final : public Target {
public:
    explicit ServerTarget(const std::string& uri) : connection_(begin_with_tables(uri)) {
        const auto tables = read_tables(*connection_);
        lock_tables(*connection_, tables, Locked::writers);
        for (const Table& table : tables) {
            const char* sql = kept_text("SELECT 1 FROM " + quoted(table.name) + " LIMIT 1");
            if (InUse(connection_->prepare(sql))->step())
                throw StoreUnusable(uri + ": has rows already, in " + table.name +
                                    " first: name another database, or drop its tables");
        }
    }
    ~ServerTarget() override {
        if (connection_->in_transaction()) connection_->roll_back();
    }

    Connection& connection() override { return *connection_; }
    void complete() override {}
    void keep() override {
        try {
            connection_->commit(Durability::full);
        } catch (const CommitUnknown& error) {
            throw CommitUnknown(std::string(error.what()) +
                                "; whether the copy was committed is unknown, and the old store is in service as "
                                "before. When the server answers, look whether the tables there have rows: then drop "
                                "them before you begin again");
        } catch (const StoreUnsynced& error) {
            throw StoreError(std::string(error.what()) +
                             "; the copy is there, but may be lost, so nothing was moved: the old store is in service "
                             "as before. Let no process use the copy, and drop its tables before you begin again");
        }
    }
    /// The server plans by figures that it collects later otherwise.
    void prepare_use() override {
        for (const Table& table : read_tables(*connection_)) execute(*connection_, "ANALYZE " + quoted(table.name));
    }

private:
    std::unique_ptr<Connection> connection_;
};

class FileTarget final : public Target {
public:
    explicit FileTarget(const std::string& path) : path_(path), file_(path, NewFile::For::service, signals_) {}

    Connection& connection() override { return file_.connection(); }
    void stop_if_asked() const override { db::stop_if_asked(signals_); }
    void complete() override { file_.complete(); }
    void keep() override { file_.keep(); }
    /// Side files, with the owner and the mode of the file.
    void prepare_use() override { const Database made(path_, Access::read_write); }

private:
    const std::string path_;
    const os::HeldSignals signals_;
    NewFile file_;
};

std::unique_ptr<Target> make_target(const std::string& place) {
    if (is_uri(place)) return std::make_unique<ServerTarget>(place);
    return std::make_unique<FileTarget>(place);
}

void leave(Source& source, const std::string& from, const std::string& to) {
    try {
        source.leave();
    } catch (const StoreError& error) {
        throw CommitUnknown(to + " is complete, but " + from + " could not be taken out of service (" + error.what() +
                            "): stop the serving processes, change the configuration, and let none use the old store");
    }
}

}  // namespace

std::vector<TableRows> move_store(const std::string& from, const std::string& to, const Move& move) {
    if (from == to) throw StoreUnusable(to + ": is the database that the configuration names: move it to another one");
    Source source(from, !move.is_rehearsal);
    const auto target = make_target(to);
    auto copied = copy_rows(source.connection(), target->connection(), move.live_at, [&] { target->stop_if_asked(); });
    if (move.is_rehearsal) return copied;
    target->complete();
    source.mark();
    target->keep();
    leave(source, from, to);
    target->prepare_use();
    return copied;
}

}  // namespace postern::db
