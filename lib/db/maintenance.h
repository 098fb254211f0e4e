// The care of a database beside its repositories: checkpoints, checks, copies, rights.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/database.h"
#include "util/clock.h"

namespace postern::db {

// Expiry is decided by the clocks of the machines: each second between them adds one to every lifetime.
inline constexpr std::chrono::seconds kClockWarning{2};  ///< apart: the operator is told
inline constexpr std::chrono::seconds kClockLimit{30};   ///< and from here on nothing is written

/// Returns the clock of this machine minus that of a server, at least, when the connection was made; 0 for a file, and
/// where the server's answer took longer than they differ.
std::chrono::milliseconds clock_offset(Database& database);

/// Returns a warning about this connection for the log, once for each; "" for none.
std::string take_warning(Database& database);

/// Returns for how long no server could be reached at the addresses that the names of its hosts had when the database
/// was opened, from the first connection that failed; 0 when the last one did not fail, without names, and for a file.
std::chrono::milliseconds away_for(Database& database);

/// Returns true where the file is no longer at its path, so that a process that opens the path gets another one. SQLite
/// does not look by itself. False for a server.
bool has_moved(const Database& database);

/// Makes a passive checkpoint when the WAL has grown enough and the write lock is free, and syncs the WAL now and then
/// before. To be called after an answer has been sent. Never throws.
void checkpoint_if_due(Database& database) noexcept;
/// Makes a passive checkpoint, however short the WAL is, after a bulk write. Waits for the write lock as a transaction
/// does.
void checkpoint(Database& database);

/// Returns the version of the schema that the database has.
int schema_version(Database& database);

struct PageCheck {
    std::string damage;    ///< what SQLite found first; "" when nothing
    bool finished = true;  ///< false: the time was over before every page had been checked
};
/// Runs SQLite's quick_check over the whole file, for at most `limit`. Blocks no writer, but keeps the WAL from being
/// checkpointed meanwhile. Throws StoreBusy when it is locked even for reading.
PageCheck check_pages(const std::string& path, std::chrono::milliseconds limit);

/// Returns the latest change of grants, sessions and users; nullopt when there are none.
std::optional<util::Time> newest_record(Database& database);

/// Returns whether the last sync of the WAL failed: then it is not checkpointed (docs/decisions/0033).
bool is_wal_suspect(const std::string& database);

/// Takes the write lock, begins a write transaction and rolls it back. Throws StoreBusy, or StoreError.
void try_writing(const std::string& path, std::chrono::milliseconds wait);

/// Makes the lock file if it is missing and may be made. A connection that only reads does not open it, so it may be
/// missing after a backup was restored. The first writer makes it otherwise, and reports why it cannot.
void make_write_lock(const std::string& database) noexcept;

/// The free space for users other than root.
struct Room {
    std::uint64_t bytes = 0;
    std::optional<std::uint64_t> files;  ///< nullopt: the file system does not count them
};
/// Returns the free space beside `path`; nullopt when the file system cannot be asked.
std::optional<Room> room_beside(const std::string& path);

struct Migration {
    int from = 0;
    int to = 0;        ///< kSchemaVersion
    std::string copy;  ///< the database as it was; "" when there was nothing to do
};

/// The way in which users have logged in until now, which earlier schemas do not say.
enum class FormerLogins { by_password, by_web_server };

/// Takes all steps or none: one transaction, with the write lock held from before the copy is made until it is
/// committed. The copy lies next to the database, named after the version it has: `postern.db.v1`. Throws StoreUnusable
/// for a schema that is newer or that no release had, and when there is such a copy already. Sessions and grants of
/// before version 4 are logins by password from then on, or of a kind that is not known (STORE-5).
Migration migrate(const std::string& path, std::chrono::milliseconds lock_wait = std::chrono::seconds(5),
                  FormerLogins former = FormerLogins::by_password);

/// Migrates the tables on a server, and grants the roles their rights on the new tables and columns, in one
/// transaction. Makes no copy: the server has backups of its own. Throws StoreUnusable for another version, and without
/// the rights of the tables' owner.
Migration migrate_server(const std::string& uri);

/// Copies a snapshot to `target`, a new file that only its owner can read. The copy is written under a temporary name,
/// checked and synced, and gets its name last. Throws StoreUnusable when `target` exists or cannot be made, StoreError
/// when the copy or its check fails. Then no file is left. SIGINT, SIGTERM, SIGHUP and SIGQUIT take effect when the
/// copy has been removed; the next backup into the directory removes what a killed one left. Writers do not wait.
void back_up(Database& source, const std::string& target);

/// grants-postgresql.sql as it was when the program was built: `postern init` runs it, `postern doctor` compares with
/// it.
extern const char* const kPostgresGrantsSql;

/// The sockets by which a server is reached.
struct UriSockets {
    std::vector<std::uint16_t> ports;   ///< of TCP; none for a Unix socket
    bool has_unix_sockets = false;      ///< a host is a Unix socket
    bool has_abstract_sockets = false;  ///< one of them has no path
};
/// Returns the sockets of the connections to the URI, for a sandbox.
UriSockets sockets_of_uri(const std::string& uri, std::string_view program);
/// Returns the files that a connection to the URI reads, for a sandbox: certificates, keys, a password.
std::vector<std::string> files_of_uri(const std::string& uri, std::string_view program);

}  // namespace postern::db
