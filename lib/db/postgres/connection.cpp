// Decides how a server is reached, and how long a process waits for its answers.
#include "db/postgres/connection.h"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>

#include "db/database.h"
#include "db/error.h"
#include "db/maintenance.h"
#include "db/postgres/errors.h"

namespace postern::db {
namespace {

// After this, a process does not stay on a server that was cut off from the others and still answers reads.
constexpr std::chrono::seconds kLongestSession{300};

// A server that is away is asked again after this, by whichever request comes then.
constexpr std::chrono::milliseconds kPauseBetweenTries{500};

constexpr const char* kSession =
    "SELECT pg_backend_pid(),"
    " CAST(extract(epoch FROM CAST(current_setting('lock_timeout') AS interval)) * 1000 AS bigint)";

// With the time, so that the clocks are compared without a further message.
constexpr const char* kVersion =
    "SELECT version, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint) FROM schema_version"
    " WHERE product = 'postern'";

std::chrono::milliseconds own_time() {
    std::timespec now{};
    std::timespec_get(&now, TIME_UTC);
    return std::chrono::seconds(now.tv_sec) + std::chrono::milliseconds(now.tv_nsec / 1'000'000);
}

void note_warning(void* warned, const PGresult* notice) {
    const char* severity = libpq().PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity && std::string_view(severity) == "WARNING") *static_cast<bool*>(warned) = true;
}

}  // namespace

PostgresConnection::PostgresConnection(const std::string& uri, std::string_view program, Access rights,
                                       std::chrono::milliseconds patience, Versions accepted)
    : Connection(uri, rights, patience),
      options_(uri, program),
      accepted_(accepted),
      is_command_(program == kCommand) {}

PostgresConnection::~PostgresConnection() {
    statements_.clear();
    close();
}

bool PostgresConnection::try_to_connect() {
    close();
    if (!options_.fault().empty()) return false;
    connection_ = libpq().PQconnectdbParams(options_.names().data(), options_.values().data(), 0);
    return connection_ && libpq().PQstatus(connection_) == CONNECTION_OK;
}

std::string PostgresConnection::why_not() const {
    if (!options_.fault().empty()) return options_.fault();
    return connection_ ? one_line(libpq().PQerrorMessage(connection_)) : "out of memory";
}

std::chrono::milliseconds PostgresConnection::away_for() const {
    if (!away_since_ || !options_.has_names()) return {};
    return std::chrono::floor<std::chrono::milliseconds>(std::chrono::steady_clock::now() - *away_since_);
}

void PostgresConnection::connect() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_try_) throw StoreBusy(last_reason_);
    // The second try is for a connection that was cut while it began, as a balancer does when it changes servers.
    const auto is_early = [&] { return std::chrono::steady_clock::now() - now < kPauseBetweenTries; };
    if (!try_to_connect() && !(is_early() && try_to_connect())) {
        last_reason_ = "cannot connect to the database: " + why_not();
        if (!away_since_) away_since_ = now;
        next_try_ = now + kPauseBetweenTries;
        close();
        throw StoreBusy(last_reason_);
    }
    libpq().PQsetnonblocking(connection_, 1);
    libpq().PQsetNoticeReceiver(connection_, note_warning, &warned_);
    connected_at_ = now;
    away_since_.reset();
    ++session_;
    try {
        set_up();
    } catch (...) {
        close();
        throw;
    }
}

void PostgresConnection::examine_session() {
    const Result found = run(kSession);
    // A pooler tells its clients numbers of its own, and may give each transaction another session of the server.
    is_pooled_ = std::atoi(libpq().PQgetvalue(found.get(), 0, 0)) != libpq().PQbackendPID(connection_);
    lock_timeout_ = std::chrono::milliseconds(std::atoll(libpq().PQgetvalue(found.get(), 0, 1)));
}

void PostgresConnection::set_up() {
    examine_session();
    if (!is_pooled_) set_session();
    if (accepted_ == Versions::this_one) check_version();
}

// Not behind a pooler: another process would find these settings in the session that it is given.
void PostgresConnection::set_session() {
    if (access == Access::query_only) run("SET default_transaction_read_only = on");
    // A list of millions of rows takes minutes, and so does a transaction that waits for another database.
    if (is_command_) run("SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0");
}

void PostgresConnection::check_version() {
    int version = 0;
    std::chrono::milliseconds server{};
    const auto asked = own_time();
    try {
        const Result found = run(kVersion);
        if (libpq().PQntuples(found.get()) == 1) {
            version = std::atoi(libpq().PQgetvalue(found.get(), 0, 0));
            server = std::chrono::milliseconds(std::atoll(libpq().PQgetvalue(found.get(), 0, 1)));
        }
    } catch (const StoreUnusable& error) {
        throw StoreUnusable(std::string(error.what()) + ": create the tables with `postern init`, or grant the right");
    }
    if (version == kSchemaVersion) return compare_clocks(asked, server);
    if (version == kMovedVersion) throw_moved("the database of the URI");
    throw StoreUnusable("the database has schema version " + std::to_string(version) + ", this program needs " +
                        std::to_string(kSchemaVersion) +
                        (version > 0 && version < kSchemaVersion
                             ? ": stop the serving processes and run `postern migrate`"
                             : ": run the release of Postern that it belongs to"));
}

/// The server answered between `asked` and now, however slow this machine is.
void PostgresConnection::compare_clocks(std::chrono::milliseconds asked, std::chrono::milliseconds server) {
    const bool is_ahead = server < asked;
    clock_offset_ = is_ahead ? asked - server : std::min(own_time() - server, std::chrono::milliseconds{0});
    const auto apart = std::chrono::abs(clock_offset_);
    warning_.clear();
    clock_fault_.clear();
    if (apart <= kClockWarning) return;
    const auto seconds = std::to_string(std::chrono::round<std::chrono::seconds>(apart).count());
    warning_ = "the clock of this machine is " + seconds + " s " + (is_ahead ? "ahead of" : "behind") +
               " the database's: let NTP set both";
    if (apart > kClockLimit) clock_fault_ = warning_ + "; until then nothing is issued or deleted here";
}

std::chrono::milliseconds PostgresConnection::clock_offset() {
    connect_if_needed();
    return clock_offset_;
}

/// The next connection compares again.
void PostgresConnection::require_clock() {
    if (clock_fault_.empty()) return;
    const std::string reason = clock_fault_;
    close();
    throw StoreBusy(reason);
}

void PostgresConnection::close() noexcept {
    if (connection_) libpq().PQfinish(connection_);
    connection_ = nullptr;
}

void PostgresConnection::connect_if_needed() {
    if (begun_ && !connection_) throw StoreConflict("the connection was lost", StoreConflict::Kind::transient);
    if (!open_) close_if_old();
    if (!connection_) connect();
}

void PostgresConnection::close_if_old() noexcept {
    if (connection_ && std::chrono::steady_clock::now() - connected_at_ > kLongestSession) close();
}

PostgresStatement& PostgresConnection::prepare(const char* sql) {
    auto at = statements_.find(sql);
    if (at == statements_.end()) {
        std::string name = "s" + std::to_string(statements_.size());
        at = statements_.try_emplace(sql, *this, sql, std::move(name)).first;
    }
    if (at->second.is_in_use()) throw StoreError(std::string("a cached statement is still in use: ") + sql);
    return at->second;
}

std::vector<const char*> PostgresConnection::prepared() const {
    std::vector<const char*> all;
    for (const auto& [sql, statement] : statements_) all.push_back(sql);
    return all;
}

void PostgresConnection::throw_broken(const char* doing) {
    const std::string reason = connection_ ? one_line(libpq().PQerrorMessage(connection_)) : "no connection";
    close();
    throw_postgres_error("", std::string(doing) + ": " + reason);
}

void PostgresConnection::wait_for_socket(os::Deadline deadline, bool is_flushed) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
    pollfd socket{libpq().PQsocket(connection_), static_cast<short>(is_flushed ? POLLIN : POLLIN | POLLOUT), 0};
    const int ready = left.count() > 0 ? ::poll(&socket, 1, static_cast<int>(left.count())) : 0;
    if (ready > 0 || (ready < 0 && errno == EINTR)) return;
    close();  // never a cancel: a commit that waits for a standby would be reported as done
    throw StoreBusy("the database did not answer within " + std::to_string(wait.count()) + " ms");
}

Result PostgresConnection::next_result(os::Deadline deadline, const char* doing) {
    for (;;) {
        const int unflushed = libpq().PQflush(connection_);
        if (unflushed < 0) throw_broken(doing);
        if (unflushed == 0 && !libpq().PQisBusy(connection_)) return Result(libpq().PQgetResult(connection_));
        wait_for_socket(deadline, unflushed == 0);
        if (!libpq().PQconsumeInput(connection_)) throw_broken(doing);
    }
}

Result PostgresConnection::run(const char* commands, const char* doing) {
    if (!queue_.empty()) fly();
    if (!doing) doing = commands;
    if (!libpq().PQsendQuery(connection_, commands)) throw_broken(doing);
    const auto deadline = std::chrono::steady_clock::now() + wait;
    Result last;
    while (Result next = next_result(deadline, doing)) {
        if (!last || !is_error(last)) last = std::move(next);
    }
    if (!last || libpq().PQstatus(connection_) != CONNECTION_OK) throw_broken(doing);
    if (!is_error(last)) return last;
    if (after(state_of(last)) == After::broken) close();
    throw_postgres_error(last, doing, libpq().PQuser(connection_));
}

int PostgresConnection::schema_version() {
    auto& statement = prepare(kVersion);
    const int version = statement.step() ? static_cast<int>(statement.integer(0)) : 0;
    statement.reset();
    return version;
}

std::unique_ptr<Connection> open_postgres(const std::string& uri, std::string_view program, Access access,
                                          std::chrono::milliseconds wait) {
    auto connection = std::make_unique<PostgresConnection>(uri, program, access, wait, Versions::this_one);
    try {
        connection->connect_if_needed();
    } catch (const StoreBusy&) {
        return connection;  // each request tries again, and says why it failed
    }
    return connection;
}

UriSockets sockets_of_uri(const std::string& uri, std::string_view program) {
    return ConnectionOptions(uri, program).sockets();
}

std::vector<std::string> files_of_uri(const std::string& uri, std::string_view program) {
    return ConnectionOptions(uri, program).files();
}

}  // namespace postern::db
