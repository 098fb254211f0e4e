// Decides which engine a database is opened with; the rest is the engine's.
#include "db/database.h"

#include <exception>
#include <utility>

#include "db/engine.h"
#include "os/new_files.h"

namespace postern::db {
namespace {

std::unique_ptr<Connection> open(const std::string& path, Access access, std::chrono::milliseconds wait) {
    if (is_uri(path)) return open_postgres(path, access, wait);
    return open_sqlite(path, access, wait, Versions::this_one);
}

}  // namespace

bool is_uri(std::string_view database) {
    return database.starts_with("postgresql://") || database.starts_with("postgres://");
}

#ifndef POSTERN_POSTGRESQL
constexpr const char* kNotBuilt = "the database is a URI, and this program was built without PostgreSQL: name a file";

std::unique_ptr<Connection> open_postgres(const std::string&, Access, std::chrono::milliseconds) {
    throw StoreUnusable(kNotBuilt);
}
void create_schema(const std::string&) { throw StoreUnusable(kNotBuilt); }
#endif

Database::Database(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

Database::Database(const std::string& path, Access access, std::chrono::milliseconds lock_wait)
    : Database(open(path, access, lock_wait)) {}

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

int Database::schema_version() { return connection_->schema_version(); }

bool Database::has_row_locks() const { return connection_->has_row_locks(); }

void Database::checkpoint_if_due() noexcept { connection_->checkpoint_if_due(); }

void Database::checkpoint() { connection_->checkpoint(); }

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
