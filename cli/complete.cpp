// Completes commands and options from the definitions that the command line is parsed with.
#include "complete.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

namespace postern::cli {
namespace {

using Words = std::vector<std::string>;

/// Whether the value of this option is the next word.
bool awaits_value(const CLI::App& command, const std::string& word) {
    const CLI::Option* option = command.get_option_no_throw(word);
    return option && option->get_items_expected_max() > 0;
}

Words option_names(const CLI::App& command) {
    Words names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
    return app.get_subcommands([](const CLI::App*) { return true; });
}

Words command_names(const CLI::App& app) {
    Words names;
    for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
    return names;
}

/// The command of that name below `app`, or `app` itself when the word is none.
const CLI::App& descend(const CLI::App& app, const std::string& word) {
    for (const CLI::App* command : commands_of(app))
        if (command->get_name() == word) return *command;
    return app;
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, std::vector<std::string> words) {
    if (words.empty()) words.emplace_back();
    const std::string typed = words.back();
    words.pop_back();
    const CLI::App* command = &app;
    bool is_value = false;
    for (const std::string& word : words) {
        if (std::exchange(is_value, false)) continue;
        if (word == "--") return {};
        if (word.starts_with('-'))
            is_value = awaits_value(*command, word);
        else
            command = &descend(*command, word);
    }
    if (is_value) return {};
    Words found = typed.starts_with('-') ? option_names(*command) : command_names(*command);
    std::erase_if(found, [&](const std::string& name) { return !name.starts_with(typed); });
    std::ranges::sort(found);
    return found;
}

}  // namespace postern::cli
