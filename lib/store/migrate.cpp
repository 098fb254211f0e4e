// Decides how an older schema becomes this release's. A step is never changed once it has been released: what it makes
// must be what the release that follows it expects.
#include "store/migrate.h"

#include <sys/stat.h>
#include <unistd.h>

#include <span>

#include "store/backup.h"

namespace postern::store {
namespace {

constexpr const char* kToVersion2[] = {
    "ALTER TABLE consents ADD COLUMN claims TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN userinfo_claims TEXT NOT NULL DEFAULT ''",
    "ALTER TABLE grants ADD COLUMN id_token_claims TEXT NOT NULL DEFAULT ''",
    "DROP INDEX grants_by_subject",
    "CREATE INDEX grants_by_subject ON grants (subject) WHERE subject IS NOT NULL",
    "CREATE INDEX grants_by_sid ON grants (sid) WHERE sid <> ''",
    "CREATE TABLE refresh_tokens ("
    " token_hash TEXT NOT NULL PRIMARY KEY,"
    " grant_id TEXT NOT NULL REFERENCES grants (id) ON DELETE CASCADE,"
    " parent_hash TEXT,"
    " issued_at INTEGER NOT NULL,"
    " expires_at INTEGER NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('current', 'used', 'retried', 'superseded')),"
    " rotated_at INTEGER,"
    " revoked_at INTEGER,"
    " CHECK ((state = 'current') = (rotated_at IS NULL))"
    ") STRICT, WITHOUT ROWID",
    "CREATE INDEX refresh_tokens_by_grant ON refresh_tokens (grant_id)",
    "CREATE INDEX refresh_tokens_by_parent ON refresh_tokens (parent_hash) WHERE parent_hash IS NOT NULL",
    "PRAGMA user_version = 2",
};

struct Step {
    int from;
    std::span<const char* const> statements;  ///< the last sets the next version
};
constexpr Step kSteps[] = {{1, kToVersion2}};

constexpr int kOldest = kSteps[0].from;
static_assert(kOldest + static_cast<int>(std::size(kSteps)) == kSchemaVersion, "a step from each version to the next");

void check_way(const std::string& path, int version) {
    const auto refuse = [&](const char* fix) {
        throw StoreUnusable(path + ": has schema version " + std::to_string(version) + ", this program knows " +
                            std::to_string(kOldest) + " to " + std::to_string(kSchemaVersion) + ": " + fix);
    };
    if (version > kSchemaVersion) refuse("run the release of Postern that it belongs to; there is no way back");
    if (version < kOldest) refuse("no release has made such a database: restore it from a backup");
}

void run_steps(Database& database, int version) {
    for (const Step& step : kSteps) {
        if (step.from < version) continue;
        for (const char* sql : step.statements) database.prepare(sql).execute();
    }
    if (database.prepare("PRAGMA foreign_key_check").step())
        throw StoreError("the migrated database would have rows that point nowhere; it was left as it was");
}

/// Taken away again when the migration does not come about.
class CopyBeside {
public:
    CopyBeside(const std::string& path, int version) : path_(path + ".v" + std::to_string(version)) {
        struct stat status {};
        if (::lstat(path_.c_str(), &status) == 0)
            throw StoreUnusable(path_ +
                                ": exists already, from a migration that came to no end or was taken back: move it "
                                "away and run `postern migrate` again");
        // A connection of its own sees what is committed; the one that is about to write cannot be copied from.
        Database reader = Database::open_for_migration(path);
        back_up(reader, path_);
    }
    CopyBeside(const CopyBeside&) = delete;
    CopyBeside& operator=(const CopyBeside&) = delete;
    ~CopyBeside() {
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

Migration migrate(const std::string& path, std::chrono::milliseconds gate_wait) {
    Database database = Database::open_for_migration(path, gate_wait);
    Transaction transaction(database, Durability::full);  // nobody writes from here on
    Migration migration{database.schema_version(), kSchemaVersion, ""};
    check_way(path, migration.from);
    if (migration.from == kSchemaVersion) return migration;

    CopyBeside copy(path, migration.from);
    run_steps(database, migration.from);
    try {
        transaction.commit();
    } catch (const StoreUnsynced& error) {  // a power cut decides which of the two is the database
        throw StoreUnsynced(std::string(error.what()) + "; the database as it was is in " + copy.keep());
    }
    migration.copy = copy.keep();
    database.checkpoint();
    return migration;
}

}  // namespace postern::store
