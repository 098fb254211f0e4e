// Decides which engine a database is opened with; the rest is the engine's.
#include "db/database.h"

#include <exception>
#include <thread>
#include <utility>

#include "db/engine.h"
#include "os/file.h"

namespace postern::db {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{200};

std::unique_ptr<Connection> open(const std::string& path, Access access, std::chrono::milliseconds wait,
                                 std::string_view program) {
    if (is_uri(path)) return open_postgres(path, program, access, wait);
    return open_sqlite(path, access, wait, Versions::this_one);
}

}  // namespace

bool is_uri(std::string_view database) {
    return database.starts_with("postgresql://") || database.starts_with("postgres://");
}

void throw_moved(const std::string& place) {
    throw StoreUnusable(place +
                        ": was moved to another database by `postern migrate --to`: name that one as \"database\", and "
                        "restart the serving processes");
}

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

Database::Database(const std::string& path, Access access, std::chrono::milliseconds lock_wait,
                   std::string_view program)
    : Database(open(path, access, lock_wait, program)) {}

Database Database::open_for_migration(const std::string& path, std::chrono::milliseconds lock_wait) {
    return Database(open_sqlite(path, Access::read_write, lock_wait, Versions::any));
}

void Database::create(os::NewFiles& made, const std::string& path) {
    is_uri(path) ? create_schema(path) : create_file(made, path);
}

void Database::create(const std::string& path) {
    os::NewFiles made;
    create(made, path);
    made.keep();
}

Database Database::in_memory() { return Database(open_sqlite_in_memory()); }

Statement Database::prepare(const char* sql) { return Statement(connection_->prepare(sql)); }

bool Database::has_row_locks() const { return connection_->has_row_locks(); }

const std::string& Database::path() const { return connection_->path; }

std::chrono::milliseconds Database::wait() const { return connection_->wait; }

Transaction::Transaction(Database& database, Durability durability)
    : Transaction(database, durability, database.connection().wait) {}

Transaction::Transaction(Database& database, Durability durability, std::chrono::milliseconds wait)
    : database_(database), durability_(durability) {
    Connection& connection = database.connection();
    if (connection.access == Access::query_only) throw StoreError(connection.path + ": this connection only reads");
    if (connection.in_transaction()) throw StoreError(connection.path + ": a transaction is open already");
    connection.begin(durability, wait);
    open_ = true;
}

Transaction::~Transaction() {
    if (open_) database_.connection().roll_back();
}

void Transaction::commit() {
    if (!open_) throw StoreError(database_.path() + ": the transaction has ended already");
    try {
        database_.connection().commit(durability_);  // when it throws, the destructor rolls back
    } catch (const CommitUnknown& error) {
        open_ = false;
        settle(error.what());
    }
    open_ = false;
}

/// Whether a commit happened whose answer was lost. It may still be under way at the server: each lock that the
/// transaction had waits for its end. The look is a transaction as durable as that one, because what is found may have
/// reached no standby yet.
void Transaction::settle(const std::string& reason) {
    const auto deadline = std::chrono::steady_clock::now() + database_.wait();
    while (has_mark_ && std::chrono::steady_clock::now() < deadline) {
        switch (look_for_mark()) {
            case Mark::found:
                return;
            case Mark::missing:
                throw StoreConflict(reason, StoreConflict::Kind::transient);
            case Mark::unknown:
                std::this_thread::sleep_for(kBetweenLooks);
        }
    }
    throw CommitUnknown("whether a transaction was committed is unknown: " + reason);
}

Transaction::Mark Transaction::look_for_mark() {
    try {
        Transaction look(database_, durability_);
        for (const auto& lock : locks_) lock();
        const bool is_there = has_mark_();
        look.commit();
        return is_there ? Mark::found : Mark::missing;
    } catch (const StoreBusy&) {  // no server answers yet, or a lock is still held
        return Mark::unknown;
    } catch (const CommitUnknown&) {
        return Mark::unknown;
    }
}

Snapshot::Snapshot(Database& database) : database_(database), open_(!database.connection().in_transaction()) {
    if (open_) database_.connection().begin_snapshot();
}

Snapshot::~Snapshot() {
    if (!open_) return;
    database_.connection().end_snapshot();
    // If the read transaction cannot be closed, this process would serve a stale snapshot (and honour revoked tokens)
    // forever, so terminate and let the supervisor start a new one.
    if (database_.connection().in_transaction()) std::terminate();
}

}  // namespace postern::db
