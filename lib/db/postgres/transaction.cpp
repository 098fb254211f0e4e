// Decides when a transaction on PostgreSQL takes effect. Each statement behind a row lock sees what all earlier holders
// of that lock have committed, which READ COMMITTED gives and a snapshot of the whole transaction does not.
#include <algorithm>
#include <string>
#include <utility>

#include "db/error.h"
#include "db/postgres/connection.h"

namespace postern::db {
namespace {

// Kept prepared, by address.
constexpr const char* kBegin = "BEGIN ISOLATION LEVEL READ COMMITTED";
constexpr const char* kBeginReading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
// A commit that only grants rights may be lost with the server's memory. The WAL is one line: a later durable commit
// makes it durable too.
constexpr const char* kLazy = "SET LOCAL synchronous_commit = off";
constexpr const char* kLimitWaits = "SELECT set_config('lock_timeout', $1, true)";
// A commit that has written no WAL waits for no standby. But an earlier one, whose answer was an error, may have
// written what this one finds done: told that it is done, the caller counts on the standbys.
constexpr const char* kSomeWal = "SELECT pg_logical_emit_message(true, 'postern', '')";
constexpr const char* kCommit = "COMMIT";

}  // namespace

/// Goes with BEGIN, and is left out where the role's own lock_timeout is no longer. Part of the time in which the
/// server has to answer is left for the answer: a process that closes the connection first leaves a session that waits.
void PostgresConnection::limit_waits(std::chrono::milliseconds lock_wait) {
    const auto longest = std::max(std::min(lock_wait, wait * 4 / 5), std::chrono::milliseconds(1));
    if (lock_timeout_.count() > 0 && lock_timeout_ <= longest) return;
    PostgresStatement& limit = prepare(kLimitWaits);
    limit.bind(1, std::to_string(longest.count()));
    limit.queue();
}

void PostgresConnection::begin(Durability durability, std::chrono::milliseconds lock_wait) {
    connect_if_needed();
    require_clock();
    warned_ = false;
    open_ = true;
    prepare(kBegin).queue();
    limit_waits(lock_wait);
    if (durability == Durability::lazy) prepare(kLazy).queue();
}

void PostgresConnection::roll_back() noexcept {
    open_ = false;
    queue_.clear();
    if (!std::exchange(begun_, false) || !connection_) return;
    try {
        run("ROLLBACK");
    } catch (const StoreError&) {
        close();
    }
}

void PostgresConnection::commit(Durability durability) {
    connect_if_needed();
    if (durability == Durability::full) prepare(kSomeWal).queue();
    prepare(kCommit).queue();
    Result result;
    try {
        result = fly();
    } catch (const StoreBusy& error) {
        if (connection_ || refused_) throw;  // the server has said that it did not commit
        open_ = begun_ = false;
        throw CommitUnknown(error.what());
    }
    open_ = begun_ = false;
    if (std::string_view(libpq().PQcmdStatus(result.get())) != "COMMIT")
        throw StoreError("a transaction that had failed was to be committed");
    if (durability == Durability::full && warned_)
        throw StoreUnsynced("the server warns that this commit may not have reached a standby");
}

void PostgresConnection::begin_snapshot() {
    close_if_old();
    open_ = true;
    prepare(kBeginReading).queue();
}

void PostgresConnection::end_snapshot() noexcept { roll_back(); }

}  // namespace postern::db
