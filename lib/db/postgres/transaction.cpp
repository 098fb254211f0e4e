// Decides when a transaction on PostgreSQL takes effect. Each statement behind a row lock sees what all earlier holders
// of that lock have committed, which READ COMMITTED gives and a snapshot of the whole transaction does not.
#include "db/error.h"
#include "db/postgres/connection.h"

namespace postern::db {
namespace {

constexpr const char* kBegin = "BEGIN ISOLATION LEVEL READ COMMITTED";
// What only grants rights may be lost with the server's memory. The WAL is one line: a later durable commit makes it
// durable too.
constexpr const char* kBeginLazy = "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off";
constexpr const char* kBeginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

}  // namespace

void PostgresConnection::begin(Durability durability, std::chrono::milliseconds) {
    connect_if_needed();
    warned_ = false;
    run(durability == Durability::full ? kBegin : kBeginLazy);
    open_ = true;
}

void PostgresConnection::roll_back() noexcept {
    open_ = false;
    try {
        if (connection_) run("ROLLBACK");
    } catch (const StoreError&) {
        close();
    }
}

void PostgresConnection::commit(Durability durability) {
    if (!connection_) throw StoreConflict("the connection was lost", StoreConflict::Kind::transient);
    Result result;
    try {
        result = run("COMMIT");
    } catch (const StoreBusy& error) {
        if (connection_) throw;  // the server has said that it did not commit
        open_ = false;
        throw CommitUnknown(error.what());
    }
    open_ = false;
    if (std::string_view(libpq().PQcmdStatus(result.get())) != "COMMIT")
        throw StoreError("a transaction that had failed was to be committed");
    if (durability == Durability::full && warned_)
        throw StoreUnsynced("the server warns that this commit may not have reached a standby");
}

void PostgresConnection::begin_snapshot() {
    connect_if_needed();
    run(kBeginReading);
    open_ = true;
}

void PostgresConnection::end_snapshot() noexcept { roll_back(); }

}  // namespace postern::db
