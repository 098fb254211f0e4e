// Decides which engine a database is opened with; the rest is the engine's.
#include "db/database.h"

#include <exception>
#include <utility>

#include "db/engine.h"

namespace postern::db {

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

Database::Database(const std::string& path, Access access, std::chrono::milliseconds lock_wait)
    : Database(open_sqlite(path, access, lock_wait, Versions::this_one)) {}

Database Database::open_for_migration(const std::string& path, std::chrono::milliseconds lock_wait) {
    return Database(open_sqlite(path, Access::read_write, lock_wait, Versions::any));
}

Database Database::in_memory() { return Database(open_sqlite_in_memory()); }

Statement Database::prepare(const char* sql) { return Statement(connection_->prepare(sql)); }

int Database::schema_version() { return connection_->schema_version(); }

void Database::checkpoint_if_due() noexcept { connection_->checkpoint_if_due(); }

void Database::checkpoint() { connection_->checkpoint(); }

const std::string& Database::path() const { return connection_->path; }

Transaction::Transaction(Database& database, Durability durability)
    : Transaction(database, durability, database.connection().wait) {}

Transaction::Transaction(Database& database, Durability durability, std::chrono::milliseconds wait)
    : database_(database), durability_(durability) {
    Connection& connection = database.connection();
    if (connection.access == Access::query_only) throw StoreError(connection.path + ": this connection only reads");
    if (connection.in_transaction()) throw StoreError(connection.path + ": a transaction is open already");
    connection.begin(wait);
    open_ = true;
}

Transaction::~Transaction() {
    if (open_) database_.connection().roll_back();
}

void Transaction::commit() {
    if (!open_) throw StoreError(database_.path() + ": the transaction has ended already");
    database_.connection().commit(durability_);  // when it throws, the destructor rolls back
    open_ = false;
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
