// Checks that the database is intact, can be written, and has free space.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/doctor/findings.h"
#include "cli/files.h"
#include "cli/output.h"
#include "db/error.h"
#include "db/maintenance.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

constexpr const char* kCheck = "database";
constexpr std::chrono::milliseconds kMaxLockWait{1000};
constexpr std::chrono::milliseconds kMaxServerWait{5000};
constexpr std::chrono::seconds kMaxCheckTime{10};
constexpr util::Seconds kTolerance{60};
constexpr std::uintmax_t kMegabyte = 1 << 20;
// A checkpoint begins at 4 MB; under load the WAL briefly has twice that.
constexpr std::uintmax_t kLargeWal = 64 * kMegabyte;
constexpr std::uintmax_t kLowSpace = 64 * kMegabyte;
constexpr std::uintmax_t kNoSpace = 4 * kMegabyte;
constexpr std::uintmax_t kNoFiles = 16;

constexpr const char* kRestoreFix =
    "stop the serving processes, keep the file, and restore the last good backup (docs/OPERATIONS.md, \"Restore\")";

/// Modes do not stop root; a file system that is mounted read-only does.
void check_writable(Findings& findings, const config::Config& config) {
    std::vector<fs::path> paths = side_files(config);
    paths.insert(paths.begin(), directory_of(config.database));
    for (const fs::path& path : paths) {
        const mode_t wanted = path == paths.front() ? R_OK | W_OK | X_OK : R_OK | W_OK;
        if (faccessat(AT_FDCWD, path.c_str(), static_cast<int>(wanted), AT_EACCESS) == 0) continue;
        const int reason = errno;
        if (reason == ENOENT) continue;  // removed meanwhile
        findings.error(
            "database files", path.string() + " cannot be written by this user (" + std::strerror(reason) + ")",
            reason == EROFS ? "mount its file system read-write; the kernel remounts it read-only after a disk error, "
                              "and the kernel log says why"
                            : util::ShellCommand("chmod ug+rw").path(path.string()).text() +
                                  ", with the owner and group that `postern init --owner` gave it; or run this as the "
                                  "user of the serving processes");
    }
}

void check_wal_size(Findings& findings, const std::string& database) {
    std::error_code none;
    const auto size = fs::file_size(database + "-wal", none);
    if (none || size < kLargeWal) return;
    findings.warning(
        "database files",
        database + "-wal has " + std::to_string(size / kMegabyte) +
            " MB: a process has kept a read transaction open for a long time, or no process has run a checkpoint",
        "end the `sqlite3` shell or backup that reads it, restart the serving processes, then run `postern "
        "purge`");
}

void check_room(Findings& findings, const std::string& check, const std::string& file) {
    const auto room = db::room_beside(file);
    if (!room) return;
    const bool no_files = room->files && *room->files < kNoFiles;
    const std::string where = directory_of(file).string();
    const char* fix =
        "free space on that disk, old backups and logs first; no data is lost, but users cannot sign in until then";
    if (room->bytes < kNoSpace || no_files) {
        findings.error(check,
                       no_files
                           ? "no more files can be created in " + where
                           : "the disk of " + where + " is full: " + std::to_string(room->bytes >> 10) + " KB left",
                       fix);
    } else if (room->bytes < kLowSpace) {
        findings.warning(
            check, "the disk of " + where + " is nearly full: " + std::to_string(room->bytes / kMegabyte) + " MB left",
            fix);
    }
}

void check_pages(Findings& findings, const std::string& path) {
    const auto check = db::check_pages(path, kMaxCheckTime);
    if (!check.damage.empty()) {
        findings.error(kCheck, path + " is damaged: " + check.damage, kRestoreFix);
    } else if (!check.finished) {
        findings.warning(
            kCheck, path + " is too large to be checked within " + std::to_string(kMaxCheckTime.count()) + " seconds",
            "`postern backup FILE` checks every page of its copy");
    }
}

/// With a clock that is behind, expired records are valid again. File times do not show it: a restored copy is new.
void check_records(Findings& findings, db::Database& database, util::Time now) {
    const auto newest = db::newest_record(database);
    if (!newest || *newest <= now + kTolerance) return;
    findings.error("clock",
                   "the clock says " + to_text(now) + ", but the database has a record from " + to_text(*newest),
                   "set the clock, preferably with NTP (`timedatectl set-ntp true`); if it is right now but was ahead "
                   "earlier, `postern token revoke --all` and `postern session end --all` end tokens and sessions that "
                   "would live too long");
}

bool found_error(const Findings& findings, const std::string& check) {
    return std::ranges::any_of(findings.list(), [&](const Finding& finding) {
        return finding.check == check && finding.state == State::error;
    });
}

/// Not if the lock file is missing: this would create it while processes still hold the old one.
void check_writing(Findings& findings, const std::string& path) {
    if (found_error(findings, "database files")) return;
    try {
        db::try_writing(path, kMaxLockWait);
    } catch (const db::StoreBusy&) {
        findings.error(kCheck, path + " is locked: no other process could write for one second",
                       "end the program that holds the lock, such as a `sqlite3` shell or a command that hangs: " +
                           util::ShellCommand("fuser -v").path(path).path(path + ".gate").quoted() + " names it");
    } catch (const db::StoreError& error) {
        findings.error(kCheck, std::string("cannot be written: ") + error.what(), kAsSaid);
    }
}

void check_synced(Findings& findings, const std::string& path) {
    if (!db::is_wal_suspect(path)) return;
    findings.warning(
        kCheck,
        "the disk failed to sync a change of " + path +
            " (commit_unsynced in the audit log), and no sync has succeeded since: its WAL only grows",
        "check the kernel log for disk errors; then run `postern purge`, which succeeds when the disk syncs again");
}

/// Adds a message of the store, "PATH: what is wrong: what to do".
void add_store_error(Findings& findings, const std::string& path, const db::StoreError& error) {
    std::string detail = error.what();
    const char* fix = dynamic_cast<const db::StoreDamaged*>(&error) ? kRestoreFix : kAsSaid;
    const bool may_be_named = !db::is_uri(path);  // a URI may have a password that is refused
    if (may_be_named && detail.find(path) == std::string::npos) detail = path + ": " + detail;
    findings.error(kCheck, detail, fix);
}

void check_rows(Findings& findings, db::Database& database, const config::Config& config, util::Time now) {
    check_users(findings, database, config.settings);
    check_client_documents(findings, database, config.settings);
    check_open_registrations(findings, database, config.settings);
    check_audiences(findings, database, config.settings);
    check_introspection_claims(findings, database, config.settings);
    check_issued(findings, database, config.settings);
    check_profiles(findings, database, config.settings);
    check_assertions(findings, database, config);
    check_key_sets(findings, database, config.settings);
    check_certificates(findings, database, config.settings, now);
    check_device_grant(findings, database, config.settings);
    check_sites(findings, database, config.settings);
    check_second_factors(findings, database, config.settings);
    check_mail(findings, database, config);
    check_logouts(findings, database, config);
}

void check_file(Findings& findings, const config::Config& config, util::Time now) {
    const std::string& path = config.database;
    check_wal_size(findings, path);
    db::Database database(path, db::Access::query_only, kMaxLockWait);
    check_writable(findings, config);
    check_pages(findings, path);
    if (found_error(findings, kCheck)) return;
    check_records(findings, database, now);
    check_writing(findings, path);
    check_synced(findings, path);
    check_rows(findings, database, config, now);
}

/// Its files and its disk are the server's.
void check_uri(Findings& findings, const config::Config& config, util::Time now) {
    db::Database database(config.database, db::Access::query_only, kMaxServerWait);
    check_records(findings, database, now);
    check_server(findings, database, config.database);
    check_rows(findings, database, config, now);
}

}  // namespace

void check_room_for_files(Findings& findings, const config::Config& config) {
    const std::string state = config.state_directory();
    check_room(findings, "disk", config.ring_path());
    const bool log_elsewhere = config.log_target.starts_with('/') && directory_of(config.log_target) != state;
    if (log_elsewhere) check_room(findings, "disk", config.log_target);
    findings.ok_unless_found("disk", "there is enough space in " + state);
}

void check_database(Findings& findings, const config::Config& config, util::Time now) {
    const std::string& path = config.database;
    const bool is_uri = db::is_uri(path);
    try {
        (is_uri ? check_uri : check_file)(findings, config, now);
        findings.ok_unless_found(kCheck, "schema version " + std::to_string(db::kSchemaVersion));
    } catch (const db::StoreBusy& error) {
        if (is_uri)
            findings.error(kCheck, error.what(), fix_of_connection(error.what()));
        else
            findings.error(kCheck, path + " is locked, even for reading: " + error.what(),
                           "end the program that holds the lock: " +
                               util::ShellCommand("fuser -v").path(path).quoted() + " names it");
    } catch (const db::StoreError& error) {
        add_store_error(findings, path, error);
    }
}

}  // namespace postern::cli
