// `postern why` without a request id.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "cli/command.h"

namespace postern::cli {

/// The filter as it was typed: an empty optional was not given.
struct RefusalFilter {
    std::optional<std::string> client;
    std::optional<std::string> user;
};

inline constexpr std::int64_t kMostMinutes = 525600;  ///< a year

/// The advice for an application that fails although nothing was refused.
inline constexpr const char* kIfApplicationRefuses =
    "if the application refuses the user nevertheless, `postern doctor` and lines scope_ignored of the log name what it "
    "may lack";

/// Prints the newest refusal that matches, and counts the others of that time by reason and client. Throws Refused
/// without one, or for an unknown user.
void why_last(const Invocation& invocation, const config::Config& config, const RefusalFilter& filter,
              std::chrono::minutes time);

/// Prints each refusal that matches as it happens, until the output is closed. Throws Refused for an unknown user.
void follow_refusals(const Invocation& invocation, const config::Config& config, const RefusalFilter& filter);

}  // namespace postern::cli
