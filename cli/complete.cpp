// Decides what may stand where the cursor is, from the definitions that the command line is read with.
#include "cli/complete.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "cli/command.h"
#include "keys/keys.h"
#include "store/clients.h"
#include "store/users.h"
#include "util/clock.h"
#include "util/text.h"

namespace postern::cli {
namespace {

using Words = std::vector<std::string>;

/// What has been typed before the cursor, understood.
struct Place {
    const CLI::App* command;
    std::string config_path;
    const CLI::Option* wants_value = nullptr;  ///< the word is the value of this option
    std::size_t arguments = 0;                 ///< that have been given
    bool only_arguments = false;               ///< behind --
};

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

const CLI::Option* find_option(const CLI::App& command, std::string_view name) {
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional() && option->check_name(std::string(name))) return option;
    }
    return nullptr;
}

const CLI::App* find_command(const CLI::App& app, const std::string& name) {
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
        if (command->get_name() == name) return command;
    }
    return nullptr;
}

void give_value(Place& place, const CLI::Option& option, std::string_view value) {
    if (option.check_name("--config")) place.config_path = value;
    place.wants_value = nullptr;
}

void step(Place& place, const std::string& word) {
    if (place.wants_value) return give_value(place, *place.wants_value, word);
    if (place.only_arguments || !word.starts_with('-') || word == "-") {
        const CLI::App* command = place.only_arguments ? nullptr : find_command(*place.command, word);
        if (command)
            place.command = command;
        else
            ++place.arguments;
        return;
    }
    if (word == "--") {
        place.only_arguments = true;
        return;
    }
    const auto equals = word.find('=');
    const CLI::Option* option = find_option(*place.command, word.substr(0, equals));
    if (!option || !takes_value(*option)) return;
    if (equals == std::string::npos)
        place.wants_value = option;
    else
        give_value(place, *option, word.substr(equals + 1));
}

/// "TEXT:{RS256,ES256,EdDSA}" is how an option describes the words that it takes.
Words choices_of(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    const auto begin = type.find('{');
    const auto end = type.find('}');
    Words words;
    if (begin == std::string::npos || end == std::string::npos) return words;
    for (const std::string_view word : util::split(std::string_view(type).substr(begin + 1, end - begin - 1), ','))
        words.emplace_back(word);
    return words;
}

enum class Kind { client, user, key };

/// What is registered, for as much as whoever types may read: a shell says nothing about what it cannot complete.
Words registered(Kind kind, const std::string& config_path) {
    Words words;
    try {
        const config::Config config = config::load_config(config_path);
        const util::Time now = util::SystemClock().now();
        if (kind == Kind::key) {
            for (const auto& key : keys::Keys::list(config.keys, now)) words.push_back(key.kid);
            return words;
        }
        db::Database database = open_database(config, db::Access::query_only);
        if (kind == Kind::client) {
            for (const auto& client : store::list_clients(database, now)) words.push_back(client.id.str());
        } else {
            for (const auto& user : store::list_users(database)) words.push_back(user.username);
        }
    } catch (const std::exception&) {
        words.clear();
    }
    return words;
}

/// What can be typed without quotes in every shell.
bool is_plain(std::string_view word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_.@+").find(c) != std::string_view::npos;
    });
}

Words plain(Words words) {
    std::erase_if(words, [](const std::string& word) { return !is_plain(word); });
    return words;
}

/// By the name that the help gives it: "FILE", "ID". A new name is nothing that is there already.
Words named(const Place& place, std::string_view name) {
    const bool is_new = place.command->get_name() == "add";
    if (name == "FILE") return {kFiles};
    if (name == "DIR") return {kDirectories};
    if (name == "ID" && !is_new) return plain(registered(Kind::client, place.config_path));
    if (name == "NAME" && !is_new) return plain(registered(Kind::user, place.config_path));
    if (name == "KID") return plain(registered(Kind::key, place.config_path));
    return {};
}

Words values(const Place& place, const CLI::Option& option) {
    if (Words words = choices_of(option); !words.empty()) return words;
    if (option.check_name("--unset-claim")) return {};  // its NAME is not a user's
    return named(place, option.get_option_text());
}

Words arguments(const Place& place) {
    std::size_t number = 0;
    for (const CLI::Option* option : place.command->get_options()) {
        if (option->get_positional() && number++ == place.arguments) return named(place, option->get_name(true));
    }
    return {};
}

Words option_names(const CLI::App& command) {
    Words names;
    for (const CLI::Option* option : command.get_options()) {
        for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
    return names;
}

Words command_names(const CLI::App& app) {
    Words names;
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        names.push_back(command->get_name());
    return names;
}

Words candidates(const Place& place, const std::string& word) {
    if (place.wants_value) return values(place, *place.wants_value);
    if (!place.only_arguments && word.starts_with('-')) {
        const auto equals = word.find('=');
        if (equals == std::string::npos) return option_names(*place.command);
        Words words;
        const CLI::Option* option = find_option(*place.command, word.substr(0, equals));
        if (!option || !takes_value(*option)) return words;
        for (const std::string& value : values(place, *option))
            words.push_back(value.starts_with(':') ? value : word.substr(0, equals + 1) + value);
        return words;
    }
    if (Words names = command_names(*place.command); !names.empty()) return names;
    return arguments(place);
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words,
                                     const std::string& config_path) {
    Place place{&app, config_path};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) step(place, words[i]);
    const std::string word = words.empty() ? "" : words.back();
    Words found = candidates(place, word);
    std::erase_if(found, [&](const std::string& candidate) {
        return !candidate.starts_with(':') && !candidate.starts_with(word);
    });
    std::ranges::sort(found);
    return found;
}

}  // namespace postern::cli
