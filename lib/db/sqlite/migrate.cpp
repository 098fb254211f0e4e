// Runs the steps that make an older schema this release's, all or none, beside a copy of the database.
#include "db/maintenance.h"

#include <sys/stat.h>
#include <unistd.h>

#include "db/engine.h"
#include "db/sqlite/migration_steps.h"

namespace postern::db {
namespace {

constexpr int kFirstWithLevels = 4;

// Levels of the logins that a schema before that version has kept: the names are those of lib/oauth/acr.h.
constexpr const char* kByPassword[] = {
    "UPDATE sessions SET level = 1, amr = 'pwd'",
    "UPDATE grants SET acr = 'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport', amr = 'pwd'"
    " WHERE subject IS NOT NULL AND ended_at IS NULL",
};

void check_way(const std::string& path, int version) {
    const int oldest = migration_steps().front().from;
    const auto throw_unusable = [&](const char* fix) {
        throw StoreUnusable(path + ": has schema version " + std::to_string(version) + ", this program knows " +
                            std::to_string(oldest) + " to " + std::to_string(kSchemaVersion) + ": " + fix);
    };
    if (version == kMovedVersion) throw_moved(path);
    if (version > kSchemaVersion)
        throw_unusable("run the release of Postern that it belongs to; a schema cannot be downgraded");
    if (version < oldest) throw_unusable("no release has made such a database: restore it from a backup");
}

void run_steps(Database& database, int version) {
    if (database.prepare("PRAGMA foreign_key_check").step())
        throw StoreError("the database has rows with dangling references; it was not changed");
    for (const MigrationStep& step : migration_steps()) {
        if (step.from < version) continue;
        for (const char* sql : step.statements) database.prepare(sql).execute();
        if (step.fill != nullptr) step.fill(database);
    }
}

/// The database before the migration; removed unless the migration is committed.
class CopyBeforeMigration {
public:
    CopyBeforeMigration(const std::string& path, int version) : path_(path + ".v" + std::to_string(version)) {
        struct stat status {};
        if (::lstat(path_.c_str(), &status) == 0)
            throw StoreUnusable(path_ +
                                ": exists already, from a migration that did not finish or was undone: move it away "
                                "and run `postern migrate` again");
        // A second connection, because SQLite cannot copy from one that holds a write transaction.
        Database reader = Database::open_for_migration(path);
        back_up(reader, path_);
    }
    CopyBeforeMigration(const CopyBeforeMigration&) = delete;
    CopyBeforeMigration& operator=(const CopyBeforeMigration&) = delete;
    ~CopyBeforeMigration() {
        if (!kept_) ::unlink(path_.c_str());
    }
    std::string keep() {
        kept_ = true;
        return path_;
    }

private:
    std::string path_;
    bool kept_ = false;
};

}  // namespace

Migration migrate(const std::string& path, std::chrono::milliseconds lock_wait, FormerLogins former) {
    Database database = Database::open_for_migration(path, lock_wait);
    database.prepare("PRAGMA temp_store = FILE").execute();  // millions of rows are sorted for an index
    Transaction transaction(database, Durability::full);     // other writers wait from here on
    Migration migration{schema_version(database), kSchemaVersion, ""};
    check_way(path, migration.from);
    if (migration.from == kSchemaVersion) return migration;

    CopyBeforeMigration copy(path, migration.from);
    run_steps(database, migration.from);
    if (migration.from < kFirstWithLevels && former == FormerLogins::by_password)
        for (const char* sql : kByPassword) database.prepare(sql).execute();
    try {
        transaction.commit();
    } catch (const StoreUnsynced& error) {  // a power cut decides which of the two is the database
        throw StoreUnsynced(std::string(error.what()) + "; the database as it was is in " + copy.keep());
    }
    migration.copy = copy.keep();
    checkpoint(database);
    return migration;
}

}  // namespace postern::db
