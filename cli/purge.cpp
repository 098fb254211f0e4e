// `postern purge`: deletes by hand what the serving processes delete as they work.
#include <CLI/CLI.hpp>

#include "audit.h"
#include "command.h"
#include "output.h"
#include "store/sweep.h"

namespace postern::cli {
namespace {

/// One sweep after the other, so that the serving processes can write in between, until one finds nothing.
store::RowCounts purge_all(const Invocation& invocation, store::Database& database) {
    const util::Time now = util::SystemClock().now();
    store::RowCounts total;
    for (bool found = true; found;) {
        // Nothing is lost with the power but the work: what has expired stays expired.
        store::Transaction transaction(database, store::Durability::lazy);
        const auto deleted = store::sweep(transaction, now);
        commit(transaction);
        std::int64_t rows_deleted = 0;
        for (const auto& [table, rows] : deleted) {
            total[table] += rows;
            rows_deleted += rows;
        }
        found = rows_deleted > 0;
        if (found) note_done(invocation, {{"rows", std::to_string(rows_deleted)}});
    }
    return total;
}

void purge(const Invocation& invocation) {
    store::Database database = open_database(invocation.load_config(), store::Access::read_write);
    const auto deleted = purge_all(invocation, database);
    database.checkpoint();
    json::Object object;
    std::vector<std::vector<std::string>> rows;
    for (const auto& [table, count] : deleted) {
        object.set(table, count);
        rows.push_back({table, std::to_string(count)});
    }
    if (invocation.json) return print_json(std::move(object));
    print_table({"TABLE", "DELETED"}, rows);
}

}  // namespace

void add_purge_command(CLI::App& app, Invocation& invocation) {
    CLI::App& command = add_command(app, invocation, "purge", "Delete everything that has expired or ended",
                                    "postern purge --json", [&invocation] { purge(invocation); });
    explain(command,
            "The serving processes do the same a little at a time, so no cron job is needed; this helps after a long "
            "rest. It can run while they serve. The file does not become smaller: its free pages are used again before "
            "it grows. (`VACUUM` would make it smaller, but shuts writers out for as long as it takes.)");
}

}  // namespace postern::cli
