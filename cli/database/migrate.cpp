// `postern migrate`: brings the database of an earlier release to this one, or moves a database to another engine.
#include "db/maintenance.h"

#include <filesystem>
#include <iostream>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/key/sharing.h"
#include "cli/output.h"
#include "db/move.h"
#include "keys/key_directory.h"

namespace postern::cli {
namespace {

constexpr std::chrono::seconds kLockWait{5};

struct Options {
    std::optional<std::string> to;
    bool live = false;
    bool dry_run = false;
};

/// Tells of a database that has this release's schema already, or of the versions.
void print_versions(const db::Migration& migration) {
    if (migration.from == migration.to) {
        std::cout << "the database has schema version " << migration.to << " already; nothing to do\n";
        return;
    }
    std::vector<std::pair<std::string, std::string>> fields = {{"from schema version", std::to_string(migration.from)},
                                                               {"to schema version", std::to_string(migration.to)}};
    if (!migration.copy.empty()) fields.emplace_back("old database", migration.copy);
    print_fields(fields);
    std::cout << "\nStart the serving processes again."
              << (migration.copy.empty()
                      ? ""
                      : " Delete the copy when everything works: it is as confidential as the database.")
              << "\n";
}

/// Second factors came with schema 4. The database is what matters: a directory that cannot be written is said, and
/// doctor says it again.
void add_factor_key(const Invocation& invocation, const config::Config& config) {
    std::error_code unknown;
    if (std::filesystem::exists(config.keys + "/factor.key", unknown)) return;
    try {
        keys::KeyDirectory directory(config.keys);
        bool is_new = false;
        SharedKeys(config, directory).change([&] { is_new = directory.add_factor_key(); });
        if (is_new) note_done(invocation, {{"file", config.keys + "/factor.key"}});
    } catch (const std::exception& error) {
        print_note(std::string("no factor.key was made (") + error.what() + "); run `postern key repair`");
    }
}

void upgrade(const Invocation& invocation, const config::Config& config) {
    const auto former = config.settings.login.method == login::Method::remote_user ? db::FormerLogins::by_web_server
                                                                                   : db::FormerLogins::by_password;
    const auto migration = db::is_uri(config.database) ? db::migrate_server(config.database)
                                                       : db::migrate(config.database, kLockWait, former);
    if (migration.from != migration.to) note_done(invocation, {{"file", migration.copy}});
    if (invocation.json) {
        json::Object object{{"from", migration.from}, {"to", migration.to}};
        if (!migration.copy.empty()) object.set("copy", migration.copy);
        return print_json(std::move(object));
    }
    print_versions(migration);
}

json::Value to_json(const std::vector<db::TableRows>& tables, const config::Config& config, const Options& options) {
    json::Object rows;
    for (const db::TableRows& table : tables) rows.set(table.table, table.rows);
    return json::Object{
        {"from", config.database}, {"to", *options.to}, {"moved", !options.dry_run}, {"rows", std::move(rows)}};
}

/// As a person writes it into the configuration: "&" of a URI stays.
std::string in_json(const std::string& text) {
    std::string literal = "\"";
    for (const char c : text) literal += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    return literal + "\"";
}

void print_next_steps(const Invocation& invocation, const config::Config& config, const std::string& to) {
    std::cout << "\nNext, because every process on the old database answers 503 from now on:\n"
                 "  1. in "
              << invocation.config_path << ", on every node:\n       \"database\": " << in_json(to) << ",\n";
    if (db::is_uri(to))
        std::cout << "       \"state\": " << in_json(config.state_directory()) << ",\n";
    else
        std::cout << "       and no \"state\"; keep " << config.ring_path() << " for `postern why`\n";
    std::cout << "  2. restart the serving processes\n"
                 "  3. postern doctor\n"
                 "Then delete the old database: it is as confidential as the new one, and cannot be used again.\n";
}

void move(const Invocation& invocation, const config::Config& config, const Options& options) {
    db::Move move;
    if (options.live) move.live_at = now();
    move.is_rehearsal = options.dry_run;
    const auto tables = db::move_store(config.database, *options.to, move);
    if (!options.dry_run) note_done(invocation, {{"file", *options.to}});
    if (invocation.json) return print_json(to_json(tables, config, options));
    print_table_rows({"table", options.dry_run ? "rows that would move" : "rows moved"}, tables,
                     [](const db::TableRows& table) {
                         return std::vector{table.table, std::to_string(table.rows)};
                     });
    if (options.dry_run)
        std::cout << "\nCopied and compared, then undone: nothing has changed. Without --dry-run, requests that write "
                     "are answered 503 for about as long as this took.\n";
    else
        print_next_steps(invocation, config, *options.to);
}

void migrate(const Invocation& invocation, const Options& options) {
    const config::Config config = invocation.load_config();
    if (options.to) return move(invocation, config, options);
    upgrade(invocation, config);
    add_factor_key(invocation, config);
}

}  // namespace

void add_migrate_command(const Command& app, Invocation& invocation) {
    const auto [command, options] = add_command<Options>(
        app, invocation, "migrate", "Upgrade the database of an earlier release, or move it to another engine",
        "postern migrate\n"
        "  postern migrate --to 'postgresql://db.example.org/postern' --dry-run\n"
        "  postern migrate --to /var/lib/postern/postern.db",
        migrate);
    const Option to =
        command.option("--to", "DATABASE", options.to, "Move everything to this database: a URI, or a new file");
    command.flag("--live", options.live, "With --to: leave out what has expired or ended").needs(to);
    command.flag("--dry-run", options.dry_run, "With --to: copy and compare, then undo it; blocks no other process")
        .needs(to);
    command.explain(
        "Stop the serving processes, install the new release, run this, start them again. Either everything is changed "
        "or nothing, and a copy of the old database is left next to it, with the version appended to its name "
        "(postern.db.v1). That copy is the only way back. On a server there is no copy: make a backup first.\n"
        "With --to nothing has to be stopped. Requests that only read are answered as before; those that write are "
        "answered 503 until this is done, about two minutes for a million rows. The copy is compared with the original "
        "before it is "
        "committed. Then the old database is marked, and no process can use it any more: change \"database\" and "
        "restart the processes. If this is interrupted, run it again: the old database is in service, or the new one "
        "is complete. A server's database has to be empty; tables that `postern init` made there are used. The role "
        "has to own the tables of a server that is left. Keys stay where they are.");
}

}  // namespace postern::cli
