// The parts that all sub-commands share: options, database and notes.
#include "cli/command.h"

#include <iostream>
#include <limits>

#include "db/maintenance.h"
#include "util/text.h"

namespace postern::cli {
namespace {

/// A list of millions of rows takes minutes. No other process waits for it.
constexpr std::chrono::minutes kServerWait{10};

}  // namespace

void add_config_option(const Command& command, Invocation& invocation) {
    command.option("--config", "FILE", invocation.config_path,
                   "Configuration file (default: $POSTERN_CONFIG, or else /etc/postern/postern.json)");
}

Command add_command(const Command& parent, Invocation& invocation, const char* name, const char* summary,
                    const char* example, std::function<void()> action) {
    const std::string group = parent.full_name();
    const std::string whole = group.empty() ? name : group + " " + name;
    const Command command = parent.add_command(name, summary, [&invocation, whole, action = std::move(action)] {
        invocation.action = action;
        invocation.command = whole;
    });
    add_config_option(command, invocation);
    command.flag("--json", invocation.json, "Print JSON");
    command.end_help(std::string("Example:\n  ") + example + "\n\nExit codes: 0 done, 1 refused, 2 wrong usage.");
    return command;
}

Command add_command(const Command& parent, Invocation& invocation, const char* name, const char* summary,
                    const char* example, const Argument& argument,
                    void (*action)(const Invocation&, const std::string&)) {
    const auto [command, value] = add_command<std::string>(parent, invocation, name, summary, example, action);
    command.argument(argument, value);
    return command;
}

void add_list_command(const Command& group, Invocation& invocation, const char* summary, const char* example,
                      void (*action)(const Invocation&, const db::Limit&)) {
    const auto [command, limit] = add_command<db::Limit>(group, invocation, "list", summary, example, action);
    add_limit_option(command, limit);
}

void add_limit_option(const Command& command, db::Limit& limit) {
    command.option("--limit", "N", limit.rows, "Only the first N rows of the list (default: all)")
        .between(1, std::numeric_limits<std::int64_t>::max());
}

db::Database open_database(const config::Config& config, db::Access access, std::string_view program) {
    if (db::is_uri(config.database)) {
        db::Database server(config.database, access, kServerWait, program);
        if (const auto warning = db::take_warning(server); !warning.empty()) print_note(warning);
        return server;
    }
    db::Database database(config.database, access);
    if (access == db::Access::query_only) db::make_write_lock(config.database);
    return database;
}

void commit(db::Transaction& transaction) {
    transaction.commit();
    db::checkpoint_if_due(transaction.database());
}

void print_note(std::string_view text) { std::cerr << "note: " << util::displayable(text) << '\n'; }

}  // namespace postern::cli
