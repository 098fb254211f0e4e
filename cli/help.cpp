// The help of the whole command, and the completion of its words.
#include "cli/help.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace postern::cli {
namespace {

using Words = std::vector<std::string>;

struct HelpGroup {
    std::string_view command;
    const char* group;
};

constexpr const char* kSetUp = "Setup and diagnosis";
constexpr const char* kWho = "Clients, APIs and users";
constexpr const char* kNow = "Tokens, sessions and consents";
constexpr const char* kKeys = "Keys";
constexpr const char* kUpkeep = "Maintenance";

constexpr HelpGroup kGroups[] = {
    {"init", kSetUp},       {"doctor", kSetUp},  {"why", kSetUp},      {"pages", kSetUp}, {"client", kWho},
    {"registration", kWho}, {"site", kWho},      {"user", kWho},       {"group", kWho},   {"passwords", kWho},
    {"resource", kWho},     {"token", kNow},     {"session", kNow},    {"consent", kNow}, {"key", kKeys},
    {"publish", kKeys},     {"backup", kUpkeep}, {"migrate", kUpkeep}, {"mail", kUpkeep}, {"purge", kUpkeep},
    {"stats", kUpkeep},
};

constexpr const char* kFooter =
    "First steps:\n"
    "  Write /etc/postern/postern.json with {\"issuer\": \"https://id.example.org\"};\n"
    "  for OpenID Connect add \"oidc\": {\"userClaims\": \"database\"}.\n"
    "    postern init --owner www-data:www-data     create the database and the keys\n"
    "    postern user add ada                       add a user who can log in\n"
    "    postern client add wiki --redirect-uri https://wiki.example.org/callback\n"
    "    postern doctor                             check the installation\n"
    "\n"
    "Every change takes effect in running processes at once. Secrets are read from\n"
    "standard input or a terminal, never from the command line. With --json every\n"
    "command prints JSON; times are seconds since 1970.\n"
    "\n"
    "Exit codes: 0 done, 1 refused, 2 wrong usage.\n"
    "`postern COMMAND --help` explains each command.";

/// The last line of the help of a group of commands.
constexpr const char* kGroupFooter = "Exit codes: 0 done, 1 refused, 2 wrong usage.";

void finish_group(const Command& command) {
    if (!command.is_group()) return;
    command.end_help("`postern " + command.full_name() + " COMMAND --help` explains each.\n" + kGroupFooter);
    for (const Command& below : command.commands()) finish_group(below);
}

/// Whether the value of this option is the next word.
bool awaits_value(const Command& command, const std::string& word) {
    return std::ranges::any_of(command.options(), [&](const OptionView& option) {
        return option.takes_value && std::ranges::find(option.names, word) != option.names.end();
    });
}

Words option_names(const Command& command) {
    Words names;
    for (const OptionView& option : command.options()) {
        std::ranges::copy_if(option.names, std::back_inserter(names),
                             [](const std::string& name) { return name.starts_with("--"); });
    }
    return names;
}

Words command_names(const Command& command) {
    Words names;
    for (const Command& below : command.commands()) names.push_back(below.name());
    return names;
}

/// The sub-command of that name, or `command` itself if there is none.
Command descend(const Command& command, const std::string& word) {
    for (const Command& below : command.commands()) {
        if (below.name() == word) return below;
    }
    return command;
}

}  // namespace

void finish_help(const Command& app) {
    for (const Command& command : app.commands()) {
        const auto* row = std::ranges::find(kGroups, command.name(), &HelpGroup::command);
        if (row != std::end(kGroups)) command.list_under(row->group);
        finish_group(command);
    }
    app.end_help(kFooter);
}

std::vector<std::string> completions(const Command& app, std::vector<std::string> words) {
    if (words.empty()) words.emplace_back();
    const std::string typed = words.back();
    words.pop_back();
    Command command = app;
    bool is_value = false;
    for (const std::string& word : words) {
        if (std::exchange(is_value, false)) continue;
        if (word == "--") return {};
        if (word.starts_with('-'))
            is_value = awaits_value(command, word);
        else
            command = descend(command, word);
    }
    if (is_value) return {};
    Words found = typed.starts_with('-') ? option_names(command) : command_names(command);
    std::erase_if(found, [&](const std::string& name) { return !name.starts_with(typed); });
    std::ranges::sort(found);
    return found;
}

}  // namespace postern::cli
