// Decides what all sub-commands have in common: their shared options, their database, their notes.
#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "db/health.h"
#include "util/text.h"

namespace postern::cli {

CLI::App& add_command(CLI::App& parent, Invocation& invocation, const char* name, const char* summary,
                      const char* example, std::function<void()> action) {
    CLI::App& command = *parent.add_subcommand(name, summary);
    command
        .add_option("--config", invocation.config_path,
                    "Configuration file (else $POSTERN_CONFIG, else /etc/postern/postern.json)")
        ->option_text("FILE");
    command.add_flag("--json", invocation.json, "Print JSON");
    command.footer(std::string("Example:\n  ") + example + "\n\nExit codes: 0 done, 1 refused, 2 wrong usage.");
    const std::string whole = parent.get_parent() ? parent.get_name() + " " + name : name;
    command.callback([&invocation, whole, action = std::move(action)] {
        invocation.action = action;
        invocation.command = whole;
    });
    return command;
}

void explain(CLI::App& command, const std::string& text) {
    command.description(command.get_description() + "\n\n" + text);
}

CLI::Option* add_repeated(CLI::App& command, const char* name, std::vector<std::string>& values, const char* help) {
    return command.add_option(name, values, help)->allow_extra_args(false);
}

db::Database open_database(const config::Config& config, db::Access access) {
    db::Database database(config.database, access);
    if (access == db::Access::query_only) db::make_write_lock(config.database);
    return database;
}

void commit(db::Transaction& transaction) {
    transaction.commit();
    transaction.database().checkpoint_if_due();
}

void print_note(std::string_view text) { std::cerr << "note: " << util::displayable(text) << '\n'; }

}  // namespace postern::cli
