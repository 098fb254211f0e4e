// The command line as it is declared: sub-commands, options, flags and arguments bound to variables. CLI11 reads it,
// and command_line.cpp is the only file that includes CLI11, because parsing its headers takes longer than any other
// file here.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace postern::cli {

/// A handle on one declared option, flag or argument. The CommandLine owns what it refers to.
class Option {
public:
    explicit Option(CLI::Option& option) : option_(&option) {}

    /// Makes any other value wrong usage.
    const Option& one_of(std::initializer_list<const char*> words) const;
    /// Makes a number outside [least, greatest] wrong usage.
    const Option& between(std::int64_t least, std::int64_t greatest) const;
    /// Makes a command line without it wrong usage.
    const Option& required() const;
    /// Makes it wrong usage without `other`.
    const Option& needs(const Option& other) const;
    /// Makes it wrong usage together with `other`.
    const Option& excludes(const Option& other) const;

private:
    CLI::Option* option_;
};

/// An argument as help shows it.
struct Argument {
    const char* name;
    const char* help;
};

/// The facts about an option, flag or argument that completion needs.
struct OptionView {
    std::vector<std::string> names;  ///< "--help" and "-h"; empty for an argument
    bool takes_value = false;
};

/// A handle on one sub-command, or on the whole command. The CommandLine owns what it refers to; each variable that is
/// bound here must outlive the reading of the command line.
class Command {
public:
    explicit Command(CLI::App& app) : app_(&app) {}

    /// Adds a sub-command that runs `action` when it was typed.
    Command add_command(const char* name, const char* summary, std::function<void()> action) const;
    /// Adds a sub-command that has sub-commands itself, of which one must be typed.
    Command add_group(const char* name, const char* summary) const;

    /// Adds an option: `name` has its dashes, `value` is the name of its value in the help.
    Option option(const char* name, const char* value, std::string& variable, const char* help) const;
    Option option(const char* name, const char* value, std::optional<std::string>& variable, const char* help) const;
    Option option(const char* name, const char* value, std::int64_t& variable, const char* help) const;
    Option option(const char* name, const char* value, std::optional<std::int64_t>& variable, const char* help) const;
    /// Adds an option that may be repeated and takes exactly one value each time.
    Option option(const char* name, const char* value, std::vector<std::string>& variable, const char* help) const;
    /// Sets `variable` to true.
    Option flag(const char* name, bool& variable, const char* help) const;
    /// Sets `variable` to `meaning`; it stays empty when the flag was not typed.
    Option flag(const char* name, std::optional<bool>& variable, bool meaning, const char* help) const;
    /// Adds a value without an option's name; wrong usage without it.
    void argument(const char* name, std::string& variable, const char* help) const;
    void argument(const Argument& shown, std::string& variable) const { argument(shown.name, variable, shown.help); }
    /// Adds a value that may be left out.
    void argument(const char* name, std::optional<std::string>& variable, const char* help) const;
    /// Adds one such value or more, the last ones of the line.
    void argument(const char* name, std::vector<std::string>& variable, const char* help) const;

    /// Adds text below the summary of --help.
    void explain(const std::string& text) const;
    /// Sets the last lines of --help.
    void end_help(const std::string& text) const;
    /// Sets the heading under which the help of the command above lists this one.
    void list_under(const char* heading) const;

    std::string name() const;
    std::string full_name() const;  ///< as it is typed behind "postern", as in "client add"; empty for the whole
    bool is_group() const;
    std::vector<Command> commands() const;
    std::vector<OptionView> options() const;  ///< in the order of their declaration

private:
    CLI::App* app_;
};

/// The outcome of reading a command line.
struct CommandLineResult {
    enum class State { understood, answered, wrong };
    State state;
    std::string text;  ///< the help or the version, or what is wrong
};

/// The whole command line.
class CommandLine {
public:
    /// `version` is what --version prints behind the name.
    CommandLine(const char* name, const char* description, const char* version);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    /// Returns the whole command, to which sub-commands and options are added.
    Command root() const { return Command(*app_); }

    /// Fills the bound variables, then runs the action of the sub-command that was typed; neither when the line is
    /// wrong.
    CommandLineResult read(int argc, const char* const* argv) const;

private:
    std::unique_ptr<CLI::App> app_;
};

}  // namespace postern::cli
