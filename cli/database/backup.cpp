// `postern backup` and `postern migrate`: copy or upgrade the database.
#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/output.h"
#include "db/backup.h"
#include "db/migrate.h"

namespace postern::cli {
namespace {

void require_file(const config::Config& config, const char* instead) {
    if (db::is_uri(config.database)) throw Refused(std::string("the database is on a server: ") + instead);
}

void backup(const Invocation& invocation, const std::string& file) {
    const config::Config config = invocation.load_config();
    require_file(config, "copy it with `pg_dump -Fc`, or with the server's own base backups");
    db::Database database = open_database(config, db::Access::query_only);
    db::back_up(database, file);
    note_done(invocation, {{"file", file}});
    const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file));
    if (invocation.json) {
        return print_json(json::Object{{"file", file},
                                       {"bytes", bytes},
                                       {"schema_version", db::kSchemaVersion},
                                       {"not_included", json::strings({config.keys, invocation.config_path})}});
    }
    print_fields({{"copied to", file},
                  {"bytes", std::to_string(bytes)},
                  {"schema version", std::to_string(db::kSchemaVersion)},
                  {"not included", "the keys in " + config.keys + " and the configuration " + invocation.config_path}});
}

void migrate(const Invocation& invocation) {
    const config::Config config = invocation.load_config();
    require_file(config, "this is the first release that works on one, so there is nothing to upgrade");
    const auto migration = db::migrate(config.database);
    if (migration.from != migration.to) note_done(invocation, {{"file", migration.copy}});
    if (invocation.json) {
        json::Object object{{"from", migration.from}, {"to", migration.to}};
        if (!migration.copy.empty()) object.set("copy", migration.copy);
        return print_json(std::move(object));
    }
    if (migration.from == migration.to) {
        std::cout << "the database has schema version " << migration.to << " already; nothing to do\n";
        return;
    }
    print_fields({{"from schema version", std::to_string(migration.from)},
                  {"to schema version", std::to_string(migration.to)},
                  {"old database", migration.copy}});
    std::cout << "\nStart the serving processes again. Delete the copy when everything works: it is as confidential as "
                 "the database.\n";
}

}  // namespace

void add_backup_command(const Command& app, Invocation& invocation) {
    auto file = std::make_shared<std::string>();
    const Command command = add_command(
        app, invocation, "backup", "Copy the database as a checked, consistent snapshot while it is in use",
        "postern backup /var/backups/postern-$(date +%F).db", [&invocation, file] { backup(invocation, *file); });
    command.argument("FILE", *file, "A new file; only its owner can read it");
    command.explain(
        "Never copy the database with cp while it is in use: the latest changes are in the -wal file next to it.\n"
        "The keys and the configuration are not in the copy; back them up separately.\n"
        "To restore a copy: stop the serving processes, remove the -wal and -shm files next to the database (they "
        "belong to the file that is replaced), put the copy in its place with the same owner and mode, run `postern "
        "user list` to create those files again, start the processes. Everything that was revoked after the copy was "
        "made is then valid again; `postern token revoke --before TIME`, `postern session end --all` and `postern "
        "consent revoke --all` end it.");
}

void add_migrate_command(const Command& app, Invocation& invocation) {
    const Command command = add_command(app, invocation, "migrate", "Upgrade the database of an earlier release",
                                        "postern migrate", [&invocation] { migrate(invocation); });
    command.explain(
        "Stop the serving processes, install the new release, run this, start them again. Either everything is changed "
        "or nothing, and a copy of the old database is left next to it, with the version appended to its name "
        "(postern.db.v1). That copy is the only way back.");
}

}  // namespace postern::cli
