// Reads the help of the command as its reader does.
#include "help_text.h"

#include <doctest/doctest.h>

#include <map>

#include "util/text.h"

namespace postern::test {

std::string help_of(const Installation& installation, Command command) {
    command.emplace_back("--help");
    const auto result = installation.postern(command);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    return result.out;
}

std::map<std::string, std::vector<HelpEntry>> lists_in(const std::string& help) {
    constexpr std::size_t kColumn = 28;
    std::map<std::string, std::vector<HelpEntry>> lists;
    std::string heading;
    for (const std::string_view line : postern::util::split(help, '\n')) {
        if (!line.starts_with(' ')) heading = line.ends_with(':') ? line.substr(0, line.size() - 1) : "";
        if (heading.empty() || heading == "Example" || heading == "First steps" || !line.starts_with("  ")) continue;
        std::vector<HelpEntry>& list = lists[heading];
        if (line[2] != ' ') list.push_back({std::string(postern::util::trim(line.substr(0, kColumn))), ""});
        REQUIRE_FALSE(list.empty());
        // A name that is too long for its column has its description on the lines below.
        const bool overflows = line[2] != ' ' && line.size() > kColumn && line[kColumn - 1] != ' ';
        if (overflows) list.back().name = postern::util::trim(line);
        if (!overflows && line.size() > kColumn)
            list.back().description +=
                std::string(list.back().description.empty() ? "" : " ") + std::string(line.substr(kColumn));
    }
    return lists;
}

namespace {

/// Every command that can be run, found as a reader would find it: from list to list.
void collect(const Installation& installation, const Command& from, std::vector<Command>& commands) {
    CAPTURE(from.size());
    std::size_t found = 0;
    for (const auto& [heading, entries] : lists_in(help_of(installation, from))) {
        if (heading == "Options" || heading == "Arguments") continue;
        for (const HelpEntry& entry : entries) {
            CAPTURE(entry.name);
            CHECK(entry.description.size() > 10);
            Command command = from;
            command.push_back(entry.name);
            collect(installation, command, commands);
            ++found;
        }
    }
    if (found == 0) commands.push_back(from);
}

}  // namespace

std::vector<Command> all_commands(const Installation& installation) {
    std::vector<Command> commands;
    collect(installation, {}, commands);
    return commands;
}

std::string text_of(const Command& command) {
    std::string text = "postern";
    for (const std::string& word : command) text += " " + word;
    return text;
}

}  // namespace postern::test
