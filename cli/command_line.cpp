// Decides how a declared command line is read, what is said about one that is wrong, and how --help looks.
#include "cli/command_line.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>

#include "cli/output.h"
#include "util/text.h"
#include "util/visible.h"

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
    /// The list of a group shows only the summary of each command.
    std::string make_subcommand(const CLI::App* command) const override {
        const std::string description = command->get_description();
        std::stringstream line;
        CLI::detail::format_help(line, command->get_name(),
                                 wrapped(description.substr(0, description.find('\n')), kWidth - kColumn), kColumn);
        return line.str();
    }
};

/// Gives `variable` one typed value; false for a number that is none. CLI11's own conversions take long to compile.
template <class Variable>
bool take(Variable& variable, const std::string& typed) {
    if constexpr (std::is_same_v<Variable, std::vector<std::string>>) {
        variable.push_back(typed);
    } else if constexpr (std::is_assignable_v<Variable&, std::string>) {
        variable = typed;
    } else {
        const auto number = util::parse_digits(typed, std::numeric_limits<std::int64_t>::max());
        if (number) variable = *number;
        return number.has_value();
    }
    return true;
}

/// Declares an option or argument without a default that CLI11 would have to know.
template <class Variable>
CLI::Option& add_option(CLI::App& app, const char* name, const char* value, Variable& variable, const char* help) {
    CLI::callback_t take_all = [&variable](const CLI::results_t& typed) {
        return std::ranges::all_of(typed, [&variable](const std::string& each) { return take(variable, each); });
    };
    CLI::Option& option = *app.add_option(name, std::move(take_all), help);
    option.option_text(value)->type_name(value);  // the second is for messages
    // Names, ids and addresses are pasted with what cannot be seen around them; secrets are never arguments.
    option.transform([](const std::string& typed) { return std::string(util::trim_invisible(typed)); });
    return option;
}

/// The innermost sub-command that was recognised, as it is typed: "postern client add".
std::string chosen_name(const CLI::App& app) {
    const auto chosen = app.get_subcommands();
    return chosen.empty() ? app.get_name() : app.get_name() + " " + chosen_name(*chosen.front());
}

/// CLI11 names a missing argument even if the real problem is an unknown word.
std::string problem_of(const CLI::App& app, const CLI::ParseError& error) {
    const auto unknown = app.remaining(true);
    if (error.get_name() != "RequiredError" || unknown.empty()) return error.what();
    const std::string& first = unknown.front();
    if (!first.starts_with('-')) return "unknown command " + in_quotes(first);
    return "unknown option " + in_quotes(first) + R"(; put values that start with "-" at the end, after "--")";
}

OptionView view_of(const CLI::Option& option) {
    OptionView view;
    view.takes_value = option.get_items_expected_max() > 0;
    for (const std::string& name : option.get_lnames()) view.names.push_back("--" + name);
    for (const std::string& name : option.get_snames()) view.names.push_back("-" + name);
    return view;
}

}  // namespace

// ---- an option ----

const Option& Option::one_of(std::initializer_list<const char*> words) const {
    option_->check(CLI::IsMember(std::vector<std::string>(words.begin(), words.end())));
    return *this;
}
const Option& Option::between(std::int64_t least, std::int64_t greatest) const {
    // Reads the number as take() does: CLI::Range takes a leading 0 for octal.
    option_->check([least, greatest](const std::string& typed) {
        const auto number = util::parse_digits(typed, greatest);
        if (number && *number >= least) return std::string();
        return "Value " + typed + " not in range [" + std::to_string(least) + " - " + std::to_string(greatest) + "]";
    });
    return *this;
}
const Option& Option::required() const {
    option_->required();
    return *this;
}

const Option& Option::needs(const Option& other) const {
    option_->needs(other.option_);
    return *this;
}
const Option& Option::excludes(const Option& other) const {
    option_->excludes(other.option_);
    return *this;
}

// ---- a command ----

Command Command::add_command(const char* name, const char* summary, std::function<void()> action) const {
    CLI::App& command = *app_->add_subcommand(name, summary);
    command.callback(std::move(action));
    return Command(command);
}

Command Command::add_group(const char* name, const char* summary) const {
    CLI::App& group = *app_->add_subcommand(name, summary);
    group.require_subcommand(1);
    return Command(group);
}

Option Command::option(const char* name, const char* value, std::string& variable, const char* help) const {
    return Option(add_option(*app_, name, value, variable, help));
}
Option Command::option(const char* name, const char* value, std::optional<std::string>& variable,
                       const char* help) const {
    return Option(add_option(*app_, name, value, variable, help));
}
Option Command::option(const char* name, const char* value, std::int64_t& variable, const char* help) const {
    return Option(add_option(*app_, name, value, variable, help));
}
Option Command::option(const char* name, const char* value, std::optional<std::int64_t>& variable,
                       const char* help) const {
    return Option(add_option(*app_, name, value, variable, help));
}
Option Command::option(const char* name, const char* value, std::vector<std::string>& variable,
                       const char* help) const {
    CLI::Option& option = add_option(*app_, name, value, variable, help);
    option.expected(CLI::detail::expected_max_vector_size);
    option.allow_extra_args(false);  // CLI11 would let it swallow what follows
    return Option(option);
}

Option Command::flag(const char* name, bool& variable, const char* help) const {
    return Option(*app_->add_flag(name, variable, help));
}
Option Command::flag(const char* name, std::optional<bool>& variable, bool meaning, const char* help) const {
    return Option(*app_->add_flag_callback(
        name, [&variable, meaning] { variable = meaning; }, help));
}

void Command::argument(const char* name, std::string& variable, const char* help) const {
    add_option(*app_, name, " ", variable, help).required();
}
void Command::argument(const char* name, std::optional<std::string>& variable, const char* help) const {
    add_option(*app_, name, " ", variable, help);
}
void Command::argument(const char* name, std::vector<std::string>& variable, const char* help) const {
    add_option(*app_, name, " ", variable, help).expected(CLI::detail::expected_max_vector_size)->required();
}

void Command::explain(const std::string& text) const { app_->description(app_->get_description() + "\n\n" + text); }
void Command::end_help(const std::string& text) const { app_->footer(text); }
void Command::list_under(const char* heading) const { app_->group(heading); }

std::string Command::name() const { return app_->get_name(); }
std::string Command::full_name() const {
    const CLI::App* parent = app_->get_parent();
    if (!parent) return {};  // the whole command
    return parent->get_parent() ? parent->get_name() + " " + name() : name();
}
bool Command::is_group() const { return app_->get_require_subcommand_min() > 0; }

std::vector<Command> Command::commands() const {
    std::vector<Command> commands;
    for (CLI::App* command : app_->get_subcommands([](CLI::App*) { return true; })) commands.emplace_back(*command);
    return commands;
}

std::vector<OptionView> Command::options() const {
    std::vector<OptionView> options;
    for (const CLI::Option* option : app_->get_options()) options.push_back(view_of(*option));
    return options;
}

// ---- the whole ----

CommandLine::CommandLine(const char* name, const char* description, const char* version)
    : app_(std::make_unique<CLI::App>(description, name)) {
    app_->formatter(std::make_shared<Format>());  // sub-commands inherit it
    app_->require_subcommand(1);
    app_->set_version_flag("--version", std::string(name) + " " + version, "Print the version and exit");
}

CommandLine::~CommandLine() = default;

CommandLineResult CommandLine::read(int argc, const char* const* argv) const {
    using State = CommandLineResult::State;
    try {
        app_->parse(argc, argv);
        return {State::understood, {}};
    } catch (const CLI::CallForHelp&) {
        return {State::answered, app_->help()};
    } catch (const CLI::CallForVersion& version) {
        return {State::answered, std::string(version.what()) + "\n"};
    } catch (const CLI::ParseError& error) {
        return {State::wrong, problem_of(*app_, error) + "; see `" + chosen_name(*app_) + " --help`"};
    }
}

}  // namespace postern::cli
