// Completes commands and options from the definitions that the command line is parsed with.
#include "cli/complete.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

namespace postern::cli {
namespace {

using Words = std::vector<std::string>;

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
