// Declares sub-commands, and the ways in which they end: done, refused or wrong usage.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "cli/command_line.h"
#include "cli/refused.h"
#include "config/config.h"
#include "db/database.h"
#include "db/rows.h"
#include "util/clock.h"
#include "util/log.h"

namespace postern::cli {

/// The options common to all sub-commands, and the action to run after the command line has been read.
struct Invocation {
    std::string config_path;
    bool json = false;
    std::function<void()> action;
    std::string command;                           ///< its name, as it is typed: "client add"
    mutable std::string log_target;                ///< of the configuration that was loaded
    mutable std::shared_ptr<const util::Log> log;  ///< open when something has been noted in it; see audit.h

    config::Config load_config() const {
        config::Config config = config::load_config(config_path);
        log_target = config.log_target;
        return config;
    }
};

/// Adds a sub-command with --config and --json, its example, and the action that it selects.
Command add_command(const Command& parent, Invocation& invocation, const char* name, const char* summary,
                    const char* example, std::function<void()> action);

/// A sub-command, and the values that its options, flags and arguments fill.
template <class Options>
struct Declared {
    Command command;
    Options& options;
};

/// Adds a sub-command that runs `action` with its own `Options`.
template <class Options>
Declared<Options> add_command(const Command& parent, Invocation& invocation, const char* name, const char* summary,
                              const char* example, void (*action)(const Invocation&, const Options&)) {
    const auto options = std::make_shared<Options>();
    const Command command = add_command(parent, invocation, name, summary, example,
                                        [&invocation, options, action] { action(invocation, *options); });
    // cppcheck-suppress returnDanglingLifetime  // the action, which the command keeps, owns the options
    return {command, *options};
}

inline constexpr Argument kClientId = {"ID", "The client_id"};
inline constexpr Argument kUserName = {"NAME", "The user name, or the `sub` that tokens show"};

/// Adds a sub-command whose one argument is given to `action`.
Command add_command(const Command& parent, Invocation& invocation, const char* name, const char* summary,
                    const char* example, const Argument& argument,
                    void (*action)(const Invocation&, const std::string&));

/// Adds `list`, whose option --limit is given to `action`.
void add_list_command(const Command& group, Invocation& invocation, const char* summary, const char* example,
                      void (*action)(const Invocation&, const db::Limit&));

/// Adds the option --limit: at most so many rows of a list.
void add_limit_option(const Command& command, db::Limit& limit);

/// Adds the option --config.
void add_config_option(const Command& command, Invocation& invocation);

// Each adds a sub-command or a group of them, one per file.
void add_init_command(const Command& app, Invocation& invocation);
void add_client_commands(const Command& app, Invocation& invocation);
void add_site_commands(const Command& app, Invocation& invocation);
void add_group_commands(const Command& app, Invocation& invocation);
void add_resource_commands(const Command& app, Invocation& invocation);
void add_user_commands(const Command& app, Invocation& invocation);
void add_key_commands(const Command& app, Invocation& invocation);
void add_passwords_commands(const Command& app, Invocation& invocation);
void add_publish_command(const Command& app, Invocation& invocation);
void add_pages_command(const Command& app, Invocation& invocation);
void add_token_commands(const Command& app, Invocation& invocation);
void add_token_preview_command(const Command& group, Invocation& invocation);
void add_session_commands(const Command& app, Invocation& invocation);
void add_consent_commands(const Command& app, Invocation& invocation);
void add_mail_commands(const Command& app, Invocation& invocation);
void add_registration_commands(const Command& app, Invocation& invocation);
void add_purge_command(const Command& app, Invocation& invocation);
void add_backup_command(const Command& app, Invocation& invocation);
void add_migrate_command(const Command& app, Invocation& invocation);
void add_stats_command(const Command& app, Invocation& invocation);
void add_doctor_command(const Command& app, Invocation& invocation);
void add_why_command(const Command& app, Invocation& invocation);

/// Opens the database that `config` names, a server in the role of `program`.
db::Database open_database(const config::Config& config, db::Access access, std::string_view program = db::kCommand);

/// Commits, then runs a checkpoint if the WAL has grown, because no serving process may be running that would.
void commit(db::Transaction& transaction);

inline util::Time now() { return util::SystemClock().now(); }

/// Prints a note on standard error.
void print_note(std::string_view text);

}  // namespace postern::cli
