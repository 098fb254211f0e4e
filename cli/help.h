// How --help looks: lines that fit a terminal, commands by what they are for, the first steps.
#pragma once

namespace CLI {
class App;
}

namespace postern::cli {

/// Before any sub-command is added: they inherit how help is written.
void set_help_format(CLI::App& app);

/// After all sub-commands were added: sorts them into groups, and gives the first steps.
void finish_help(CLI::App& app);

}  // namespace postern::cli
