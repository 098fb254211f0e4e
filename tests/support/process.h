// Runs a program to its end: arguments, environment and input in, output and exit code out.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace postern::test {

inline constexpr int kTimedOut = -1;  ///< the program was killed because it did not end in time

struct ProcessResult {
    int exit_code = kTimedOut;  ///< 128 + the signal for a program that a signal ended
    std::string out;
    std::string err;
};

/// `argv[0]` is a path; `environment` is all that the program gets. Standard input ends after `input`. Throws
/// std::runtime_error when the program cannot be started.
ProcessResult run(const std::vector<std::string>& argv, const std::map<std::string, std::string>& environment,
                  std::string_view input = {}, std::chrono::milliseconds timeout = std::chrono::seconds(60));

}  // namespace postern::test
