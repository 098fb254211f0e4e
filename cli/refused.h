// Errors of the command that end it with a line for the operator.
#pragma once

#include <stdexcept>
#include <string>

namespace postern::cli {

/// The refusal of a command, with exit status 1. Its text names the refusal, the cause and the fix in one line.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The end with exit status 2: options that do not go together, or input that is missing.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Throws UsageError when an option was given beside the one that undoes it. `option` has no dashes.
inline void refuse_undone(bool given, bool undone, const std::string& option) {
    if (given && undone) throw UsageError("--no-" + option + " and --" + option + " contradict each other");
}

}  // namespace postern::cli
