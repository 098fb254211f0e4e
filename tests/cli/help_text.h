// The help of the command, read as its reader does: which commands there are, and what each takes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "installation.h"

namespace postern::test {

/// The words behind "postern": {"client", "add"}.
using Command = std::vector<std::string>;

struct HelpEntry {
    std::string name;  ///< as typed: "--lead SECONDS", "NAME", "list"
    std::string description;
};

std::string help_of(const Installation& installation, Command command);

/// The lists of a help text by their headings, without "Example:", which is text.
std::map<std::string, std::vector<HelpEntry>> lists_in(const std::string& help);

/// Every command that can be run, found from list to list.
std::vector<Command> all_commands(const Installation& installation);

/// "postern client add"
std::string text_of(const Command& command);

}  // namespace postern::test
