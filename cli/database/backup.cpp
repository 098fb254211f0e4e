// `postern backup`: copies the database into a file.
#include <filesystem>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/output.h"
#include "db/maintenance.h"

namespace postern::cli {
namespace {

void backup(const Invocation& invocation, const std::string& file) {
    const config::Config config = invocation.load_config();
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

}  // namespace

void add_backup_command(const Command& app, Invocation& invocation) {
    const auto [command, file] = add_command<std::string>(
        app, invocation, "backup", "Copy the database as a checked, consistent snapshot while it is in use",
        "postern backup /var/backups/postern-$(date +%F).db", backup);
    command.argument("FILE", file, "A new file; only its owner can read it");
    command.explain(
        "Never copy the database with cp while it is in use: the latest changes are in the -wal file next to it.\n"
        "Of a database on a server the copy is a file like any other, row by row and compared: enough for a small "
        "store. For a large one use `pg_dump -Fc`, or the server's base backups with WAL archiving.\n"
        "The keys and the configuration are not in the copy; back them up separately.\n"
        "To restore a copy of a file: stop the serving processes, remove the -wal and -shm files next to the database "
        "(they belong to the file that is replaced), put the copy in its place with the same owner and mode, run "
        "`postern user list` to create those files again, start the processes. Everything that was revoked after the "
        "copy was made is then valid again; `postern token revoke --before TIME`, `postern session end --all` and "
        "`postern consent revoke --all` end it. On a server: `postern migrate --to URI`, with the copy as "
        "\"database\".");
}

}  // namespace postern::cli
