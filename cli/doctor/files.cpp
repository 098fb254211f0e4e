// Checks owners, groups and modes of the database, its side files and the configuration.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cli/doctor/findings.h"
#include "cli/files.h"
#include "db/database.h"
#include "db/sqlite/group_commit.h"
#include "os/file.h"
#include "util/log.h"
#include "util/shell_command.h"

namespace postern::cli {
namespace fs = std::filesystem;
namespace {

bool look_at(const fs::path& path, struct stat& status) { return lstat(path.c_str(), &status) == 0; }

void check_config_file(Findings& findings, const fs::path& path) {
    struct stat status {};
    if (!look_at(path, status) || (status.st_mode & kOthersWrite) == 0 || S_ISLNK(status.st_mode)) return;
    findings.error("config",
                   path.string() + " can be written by every user of this machine (mode " + octal(status.st_mode) + ")",
                   util::ShellCommand("chmod o-w").path(path.string()).text());
}

/// Why a process of this user cannot open the log; "" when it can, or can create it.
std::string log_fault(const std::string& target) {
    struct stat status {};
    const bool is_there = stat(target.c_str(), &status) == 0;
    if (is_there && !util::may_hold_log(status.st_mode)) return "is not a regular file, a terminal or /dev/null";
    if (!is_there && errno != ENOENT) return std::string("cannot be opened (") + std::strerror(errno) + ")";
    const fs::path needed = is_there ? fs::path(target) : directory_of(target);
    if (faccessat(AT_FDCWD, needed.c_str(), is_there ? W_OK : W_OK | X_OK, AT_EACCESS) == 0) return "";
    return std::string(is_there ? "cannot be written (" : "does not exist and cannot be created (") +
           std::strerror(errno) + ")";
}

/// A process that cannot open its log does not start.
void check_log(Findings& findings, const std::string& target) {
    if (!target.starts_with('/') || target == "/dev/stderr") return;
    const std::string fault = log_fault(target);
    if (fault.empty()) return;
    findings.error("log", target + " " + fault + ", so no process of this user starts",
                   "run this as the user of the serving processes; if you did, correct that, or name another file as "
                   "log.target, or \"stderr\" or \"syslog\"");
}

void check_database_directory(Findings& findings, const fs::path& directory) {
    const std::string check = "database directory";
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
        return findings.error(check, directory.string() + " does not exist or cannot be accessed",
                              "`postern init` creates it");
    }
    const std::string what = directory.string() + " (mode " + octal(status.st_mode) + ")";
    if ((status.st_mode & kOthersWrite) != 0) {
        findings.error(check, what + ": every user of this machine can replace the database",
                       util::ShellCommand("chmod o-rwx").path(directory.string()).text());
    } else if ((status.st_mode & kOthers) != 0) {
        findings.warning(check, what + " is accessible to every user of this machine",
                         util::ShellCommand("chmod o-rwx").path(directory.string()).text());
    }
    if ((status.st_mode & S_IWGRP) != 0 && (status.st_mode & S_ISGID) == 0) {
        findings.warning(check,
                         what + ": files created by one process may belong to a group that the others are not in",
                         util::ShellCommand("chmod g+s").path(directory.string()).text());
    }
    findings.ok_unless_found(check, what);
}

void check_file_system(Findings& findings, const fs::path& directory) {
    if (const auto name = os::network_file_system_of(directory)) {
        return findings.error(
            "file system",
            directory.string() + " is on " + std::string(*name) + ", where SQLite's locks are not reliable",
            "move the database to a local disk");
    }
    findings.ok("file system", directory.string() + " is not a network file system");
}

/// The file must have the directory's group, or processes of that group cannot use it.
void check_group(Findings& findings, const std::string& check, const fs::path& path, const struct stat& status) {
    struct stat directory {};
    if (stat(directory_of(path).c_str(), &directory) != 0 || (directory.st_mode & S_ISGID) == 0) return;
    if (directory.st_gid == status.st_gid) return;
    findings.warning(
        check,
        path.string() + " belongs to another group than its directory, so other processes may not be able to use it",
        util::ShellCommand("chgrp").option("--reference=", directory_of(path).string()).path(path.string()).text());
}

/// A file next to the database that a serving installation has. Processes read it or lock it.
struct SideFile {
    const char* suffix;
    State when_missing;
    const char* consequence;
    const char* fix;
};

constexpr const char* kNoReaders =
    " is missing, so processes that may only read the database cannot start; a sqlite3 shell that was the last to "
    "close the database removes it";
constexpr const char* kCreateAgain =
    "run a command that may write, such as `postern user list`, as the owner: it creates the file again";

constexpr SideFile kSideFiles[] = {
    {"-wal", State::warning, kNoReaders, kCreateAgain},
    {"-shm", State::warning, kNoReaders, kCreateAgain},
    {db::kSyncSuffix, State::warning,
     " is missing, so not all processes share their disk syncs, which makes writes slower",
     "restart the serving processes: the first creates the file again, and all of them use it"},
    {".gate", State::error,
     " is missing: processes that hold the old lock file and processes that create a new one do not exclude each other",
     "stop all serving processes, run `postern user list` as their user, start them again; never remove this file"},
};

constexpr const char* kDatabaseFiles = "database files";

void check_database_file(Findings& findings, const fs::path& path) {
    struct stat status {};
    if (!look_at(path, status)) return;
    if (!S_ISREG(status.st_mode)) {
        findings.error(kDatabaseFiles, path.string() + " is not a regular file",
                       "remove it; stop the serving processes first");
        return;
    }
    if ((status.st_mode & kOthers) != 0) {
        findings.error(
            kDatabaseFiles,
            path.string() + " is accessible to every user of this machine (mode " + octal(status.st_mode) + ")",
            util::ShellCommand("chmod o-rwx").path(path.string()).text());
    }
    check_group(findings, kDatabaseFiles, path, status);
}

void check_database_files(Findings& findings, const config::Config& config) {
    const std::string& database = config.database;
    if (!can_list(findings, kDatabaseFiles, directory_of(database))) return;
    for (const fs::path& path : side_files(config)) check_database_file(findings, path);
    struct stat status {};
    if (!look_at(database, status)) return;  // not yet initialised: check_database says so
    for (const SideFile& file : kSideFiles) {
        if (!look_at(database + file.suffix, status))
            findings.add({kDatabaseFiles, file.when_missing, database + file.suffix + file.consequence, file.fix});
    }
    findings.ok_unless_found(kDatabaseFiles, "not accessible to other users; WAL and write lock exist");
}

}  // namespace

std::string octal(mode_t mode) {
    std::string digits;
    for (unsigned bits = mode & 07777; bits != 0; bits >>= 3)
        digits.insert(digits.begin(), static_cast<char>('0' + (bits & 7)));
    return "0" + digits;
}

bool can_list(Findings& findings, const std::string& check, const fs::path& directory) {
    if (faccessat(AT_FDCWD, directory.c_str(), R_OK | X_OK, AT_EACCESS) == 0) return true;
    const int reason = errno;
    std::error_code unknown;
    const bool is_link = reason == ENOENT && fs::is_symlink(directory, unknown);
    findings.error(
        check, directory.string() + " cannot be listed (" + std::strerror(reason) + ")",
        is_link ? "it is a symbolic link to a missing target; mount or create the target, or remove the link"
        : reason == ENOENT
            ? "`postern init` creates it"
            : "run this as the user of the serving processes; if you did, give the directory that user's group");
    return false;
}

std::vector<fs::path> data_files(const config::Config& config) {
    std::vector<fs::path> files = side_files(config);
    for (const fs::path& file : key_files(config.keys)) files.push_back(file);
    return files;
}

void check_files(Findings& findings, const std::string& config_path, const config::Config& config) {
    check_config_file(findings, config_path);
    findings.ok_unless_found("config", config_path);
    check_log(findings, config.log_target);
    check_database_directory(findings, config.state_directory());
    check_file_system(findings, config.state_directory());
    if (!db::is_uri(config.database)) check_database_files(findings, config);
    check_key_files(findings, config);
    check_authorities_file(findings, config_path, config);
}

}  // namespace postern::cli
