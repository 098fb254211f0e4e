// Errors of the command that end it with a line for the operator.
#pragma once

#include <stdexcept>

namespace postern::cli {

/// Exit 1. The text says in one line what is refused, why, and how to fix it.
struct Refused : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Exit 2: options that do not go together, or input that is missing.
struct UsageError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace postern::cli
