// The `postern` command: reads the command line, runs one sub-command, turns the way it ended into an exit code.
#include <sys/stat.h>

#include <iostream>

#include "cli/audit.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/output.h"
#include "util/text.h"
#include "util/version.h"

namespace {

using namespace postern;

constexpr int kDone = 0;
constexpr int kRefused = 1;
constexpr int kUsage = 2;

void print_error(std::string_view text) {
    for (const std::string_view line : util::split(text, '\n')) {
        if (!line.empty()) std::cerr << "postern: " << util::displayable(line) << '\n';
    }
}

int run(const cli::Invocation& invocation) {
    try {
        invocation.action();
        if (std::cout.flush()) return kDone;
        print_error(
            "the command has done its work, but its output could not be printed: standard output is closed or full");
    } catch (const cli::UsageError& error) {
        print_error(error.what());
        return kUsage;
    } catch (const db::CommitUnknown& error) {
        print_error(std::string("whether the change was made is unknown; run the same command again: ") + error.what());
        cli::note(invocation, audit::Event::commit_unsynced, {{"command", invocation.command}});
    } catch (const db::StoreUnsynced& error) {
        print_error(std::string("the change was made, but may be undone until a later change succeeds: ") +
                    error.what());
        cli::note(invocation, audit::Event::commit_unsynced, {{"command", invocation.command}});
    } catch (const db::StoreBusy& error) {
        print_error(std::string("the database is busy, nothing was changed; try again: ") + error.what());
    } catch (const std::exception& error) {
        print_error(error.what());
    }
    return kRefused;
}

}  // namespace

int main(int argc, char** argv) {
    umask(0007);  // the serving processes share the group, others get nothing
    cli::Invocation invocation;
    invocation.config_path = config::default_config_path();

    const cli::CommandLine line(
        "postern", "Administers Postern, an OAuth 2.0 authorization server and OpenID Provider.", util::kVersion);
    const cli::Command app = line.root();
    cli::add_config_option(app, invocation);
    cli::add_init_command(app, invocation);
    cli::add_doctor_command(app, invocation);
    cli::add_client_commands(app, invocation);
    cli::add_registration_commands(app, invocation);
    cli::add_site_commands(app, invocation);
    cli::add_user_commands(app, invocation);
    cli::add_group_commands(app, invocation);
    cli::add_passwords_commands(app, invocation);
    cli::add_resource_commands(app, invocation);
    cli::add_key_commands(app, invocation);
    cli::add_publish_command(app, invocation);
    cli::add_pages_command(app, invocation);
    cli::add_why_command(app, invocation);
    cli::add_token_commands(app, invocation);
    cli::add_session_commands(app, invocation);
    cli::add_consent_commands(app, invocation);
    cli::add_mail_commands(app, invocation);
    cli::add_purge_command(app, invocation);
    cli::add_backup_command(app, invocation);
    cli::add_migrate_command(app, invocation);
    cli::add_stats_command(app, invocation);
    cli::finish_help(app);

    if (argc > 1 && std::string_view(argv[1]) == cli::kComplete) {
        for (const std::string& word : cli::completions(app, {argv + 2, argv + argc})) std::cout << word << '\n';
        return kDone;
    }
    const cli::CommandLineResult result = line.read(argc, argv);
    switch (result.state) {
        case cli::CommandLineResult::State::answered:
            std::cout << result.text;
            return kDone;
        case cli::CommandLineResult::State::wrong:
            print_error(result.text);
            return kUsage;
        case cli::CommandLineResult::State::understood:
            break;
    }
    return run(invocation);
}
