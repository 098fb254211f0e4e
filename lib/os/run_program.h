// Runs a program with a text on its standard input, and waits for its end.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace postern::os {

struct ProgramEnd {
    bool succeeded = false;  ///< it has ended with status 0
    std::string reason;      ///< why not, without anything that the program has said
    std::string output;      ///< the beginning of what it has written on its standard output and standard error
};

/// Runs `command`, the path of a program and its arguments, which no shell sees. It runs in a process group of its own,
/// and of the environment it gets the search path, the home directory and the time zone. It need not read `input`.
/// After `limit` the whole group is killed. Throws std::system_error when a pipe cannot be made, and for nothing that
/// the program does.
ProgramEnd run_program(const std::vector<std::string>& command, const std::string& input,
                       std::chrono::milliseconds limit);

}  // namespace postern::os
