// Decides what the help of the whole command says beside what each sub-command says of itself.
#include "cli/help.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <memory>

#include "util/text.h"

namespace postern::cli {
namespace {

constexpr std::size_t kWidth = 80;
constexpr std::size_t kColumn = 28;

/// Lines of at most `width` bytes, broken at blanks; a longer word has a line of its own.
std::string wrapped(std::string_view text, std::size_t width) {
    std::string lines;
    std::size_t used = 0;
    for (const std::string_view word : util::split(text, ' ')) {
        const bool fits = used == 0 || used + 1 + word.size() <= width;
        if (!fits) {
            lines += '\n';
            used = 0;
        } else if (used > 0) {
            lines += ' ';
            ++used;
        }
        lines += word;
        used += word.size();
    }
    return lines;
}

class Format : public CLI::Formatter {
public:
    Format() {
        column_width(kColumn);
        label("Positionals", "Arguments");
        label("SUBCOMMAND", "COMMAND");
    }

    /// Paragraph by paragraph.
    std::string make_description(const CLI::App* app) const override {
        const std::string description = app->get_description();
        std::string text;
        for (const std::string_view line : util::split(description, '\n')) text += wrapped(line, kWidth) + '\n';
        return text + '\n';
    }
    std::string make_option_desc(const CLI::Option* option) const override {
        return wrapped(option->get_description(), kWidth - kColumn);
    }
    /// In the list of its group a command has its summary only.
    std::string make_subcommand(const CLI::App* command) const override {
        const std::string description = command->get_description();
        std::stringstream line;
        CLI::detail::format_help(line, command->get_name(),
                                 wrapped(description.substr(0, description.find('\n')), kWidth - kColumn), kColumn);
        return line.str();
    }
};

struct Row {
    std::string_view command;
    const char* group;
};

constexpr const char* kSetUp = "Set up and examine";
constexpr const char* kWho = "Who may do what";
constexpr const char* kNow = "What has been given";
constexpr const char* kKeys = "Keys";
constexpr const char* kUpkeep = "Upkeep";

constexpr Row kGroups[] = {
    {"init", kSetUp},    {"doctor", kSetUp},   {"why", kSetUp},    {"client", kWho},   {"user", kWho},
    {"token", kNow},     {"session", kNow},    {"consent", kNow},  {"key", kKeys},     {"publish", kKeys},
    {"backup", kUpkeep}, {"migrate", kUpkeep}, {"purge", kUpkeep}, {"stats", kUpkeep},
};

constexpr const char* kFooter =
    "First steps:\n"
    "  Write /etc/postern/postern.json: {\"issuer\": \"https://id.example.org\"} is all\n"
    "  that it needs, with \"oidc\": {\"userClaims\": \"database\"} for OpenID Connect.\n"
    "    postern init --owner www-data:www-data     database and keys, for its user\n"
    "    postern user add ada                       somebody who can log in\n"
    "    postern client add wiki --redirect-uri https://wiki.example.org/callback\n"
    "    postern doctor                             is everything in place?\n"
    "\n"
    "Every change takes effect in running processes at once. Secrets are read from\n"
    "standard input or a terminal, never from the command line. With --json every\n"
    "command prints for programs; times are seconds since 1970.\n"
    "\n"
    "Exit codes: 0 done, 1 refused, 2 wrong usage.\n"
    "`postern COMMAND --help` explains each command.";

/// A group of commands is no command: what it says below its list.
constexpr const char* kGroupFooter = "Exit codes: 0 done, 1 refused, 2 wrong usage.";

}  // namespace

void set_help_format(CLI::App& app) { app.formatter(std::make_shared<Format>()); }

void finish_help(CLI::App& app) {
    for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        const auto* row = std::ranges::find(kGroups, command->get_name(), &Row::command);
        if (row != std::end(kGroups)) command->group(row->group);
        if (command->get_require_subcommand_min() == 0) continue;
        command->footer("`postern " + command->get_name() + " COMMAND --help` explains each.\n" + kGroupFooter);
    }
    app.footer(kFooter);
}

}  // namespace postern::cli
